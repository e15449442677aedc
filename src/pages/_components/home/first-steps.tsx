import { Fragment } from 'react';

import { describePolicy } from '#src/flights/interface/describe-policy.ts';
import type { Kept } from '#src/flights/for-operator/list-kept.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { ownApp } from '#src/store/own-app.ts';
import { Panel } from '#viewer/panel.tsx';
import { appPath, appsPath, experimentPath, labPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { appProgram } from '#src/access/operator-command.ts';

/** An app is there, and nothing of it came. */
function Waiting({ apps, kept }: FirstStepsProps) {
  const groups = Map.groupBy(apps, ({ id }) => describePolicy(kept.get(id)?.now ?? { mode: 'all' }));
  return (
    <Panel title="Nothing was recorded yet">
      {[...groups].map(([what, ofGroup]) => (
        <p key={what}>
          Recorded as soon as it comes, {what} of{' '}
          {ofGroup.map(({ id, name }, index) => (
            <Fragment key={id}>
              {index === 0 ? null : ', '}
              <Link to={appPath(id)}>{name}</Link>
            </Fragment>
          ))}
          .
        </p>
      ))}
      <p>The page of an app here shows how it is set up, and says when the first flight comes.</p>
    </Panel>
  );
}

type FirstStepsProps = { readonly apps: readonly AppName[]; readonly kept: ReadonlyMap<string, Kept> };

/** For somebody of whose apps nothing was recorded yet: what to do first. */
export function FirstSteps({ apps, kept }: FirstStepsProps) {
  const others = apps.filter(({ id }) => id !== ownApp);
  if (others.length > 0) return <Waiting apps={others} kept={kept} />;
  return (
    <Panel title="Record an app of yours">
      <p>
        <Link to={appsPath}>Add an app</Link>, and its page shows what to copy. There are three ways, alone or together:
      </p>
      <ol className="stack-2 list-decimal pl-5">
        <li>
          <strong>In front of it</strong>: in its folder, <code>{appProgram()} run -- next start</code> starts the app
          and sees its flights, and the errors that Next.js prints. Nothing in the app changes.
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
