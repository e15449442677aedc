import { formatCount } from '#flight';
import { appPath, appsPath, experimentPath, homePath, labPath, protocolPath } from '#src/http/addresses.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery, parseAppQuery } from '#src/components/app-query.ts';
import { AppSwitch } from '#src/components/app-switch.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';

import { EmptyState } from '#src/components/empty-state.tsx';
import { ErrorList } from '#src/components/error-list.tsx';
import { LookUpForm } from '#src/components/look-up-form.tsx';
import { Panel } from '#src/components/panel.tsx';
import { listLatestErrors } from '#src/reports/queries.ts';

export default async function HomePage({ query }: { query: string }) {
  const app = parseAppQuery(query);
  const { errors, total } = await listLatestErrors(app);
  const apps = await listAppNames();
  const chosen = apps.find(({ id }) => id === app);
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
        <LookUpForm app={app} />
        {apps.length > 1 ? null : (
          <p className="text-quiet">
            So far these are the errors of this server’s own pages. <Link to={appsPath}>Record an app of your own</Link>
            .
          </p>
        )}
      </div>
      <AppSwitch apps={apps} app={app} path={homePath} to={(id) => `${homePath}${formatAppQuery(id)}`} />
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
          <ErrorList errors={errors} now={Date.now()} label="Latest errors" apps={apps} />
        ) : chosen && !chosen.isOwn ? (
          <EmptyState title={`No error of ${chosen.name} so far`}>
            <p>
              They are listed here when the app reports them, or when a proxy sees them.{' '}
              <Link to={appPath(chosen.id)}>See how to set it up</Link>.
            </p>
          </EmptyState>
        ) : (
          <EmptyState title="No error so far">
            <p>Every error that happens from now on, on the server or in a browser, is listed here.</p>
            {apps.length > 1 ? (
              <p>
                Of the other apps, those that Next.js prints under <code>run</code> are, and those that an app reports
                with one line in it: <Link to={appsPath}>see how to set it up</Link>.
              </p>
            ) : null}
            <p>
              To see how it works, break something on purpose:{' '}
              <a href={experimentPath('throw-before-shell')}>a page that fails at once</a>,{' '}
              <a href={experimentPath('throw-after-shell')}>a page that fails half-way</a>, or anything else in the{' '}
              <Link to={labPath}>lab</Link>.
            </p>
          </EmptyState>
        )}
      </Panel>
      <p className="text-quiet">
        New to Flight, the format that all of this is about?{' '}
        <Link to={protocolPath} prefetch="intent">
          The protocol, token by token
        </Link>
        .
      </p>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
