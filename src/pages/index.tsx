import { experimentPath, labPath } from '#src/http/addresses.ts';
import { formatCount } from '#src/components/format-count.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { EmptyState } from '#src/components/empty-state.tsx';
import { ErrorList } from '#src/components/error-list.tsx';
import { LookUpForm } from '#src/components/look-up-form.tsx';
import { Panel } from '#src/components/panel.tsx';
import { listLatestErrors } from '#src/reports/queries.ts';

export default async function HomePage() {
  const { errors, total } = await listLatestErrors();
  return (
    <div className="stack-8">
      <title>Flight Recorder</title>
      <div className="stack-5">
        <div className="stack-2">
          <h1>Why did that page break?</h1>
          <p className="text-[1.0625rem]">
            Type in the code that an error page showed, and see what went wrong: the error, the line of source, the
            request, and what happened before it.
          </p>
        </div>
        <LookUpForm />
      </div>
      <Panel
        title="Latest errors"
        aside={
          total > errors.length ? (
            <span className="text-sm text-quiet">
              The latest {errors.length} of {formatCount(total)}
            </span>
          ) : null
        }
      >
        {errors.length > 0 ? (
          <ErrorList errors={errors} now={Date.now()} label="Latest errors" />
        ) : (
          <EmptyState title="No error so far">
            <p>Every error that happens from now on, on the server or in a browser, is listed here.</p>
            <p>
              To see how it works, break something on purpose:{' '}
              <a href={experimentPath('throw-before-shell')}>a page that fails at once</a>,{' '}
              <a href={experimentPath('throw-after-shell')}>a page that fails half-way</a>, or anything else in the{' '}
              <Link to={labPath}>lab</Link>.
            </p>
          </EmptyState>
        )}
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
