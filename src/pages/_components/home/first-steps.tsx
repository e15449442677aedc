import { Panel } from '#viewer/panel.tsx';
import { appsPath, experimentPath, labPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** For somebody who has recorded no app yet: what to do first. */
export function FirstSteps() {
  return (
    <Panel title="Record an app of yours">
      <p>
        <Link to={appsPath}>Add an app</Link>, and its page shows what to copy. There are three ways, alone or together:
      </p>
      <ol className="stack-2 list-decimal pl-5">
        <li>
          <strong>In front of it</strong>: <code>npx flight-recorder run -- next start</code> starts the app and sees
          its flights, and the errors that Next.js prints. Nothing in the app changes.
        </li>
        <li>
          <strong>One line in it</strong>: in <code>instrumentation.ts</code> of Next.js, or as <code>onError</code>{' '}
          where an app renders by itself. Its errors come with their digest.
        </li>
        <li>
          <strong>A DSN</strong>: any Sentry SDK sends its errors here.
        </li>
      </ol>
      <p className="text-quiet">
        To see first what it is like, break something in the <Link to={labPath}>lab</Link>:{' '}
        <a href={experimentPath('throw-before-shell')}>a page that fails at once</a>, or{' '}
        <a href={experimentPath('throw-after-shell')}>one that fails half-way</a>.
      </p>
    </Panel>
  );
}
