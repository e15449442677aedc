import { countOf } from '#flight';
import { unstable_notFound as notFound } from 'waku/router/server';

import { findApp } from '#src/apps/for-operator/read-apps.ts';
import { compareBuilds, findBuildBefore } from '#src/flights/for-operator/compare-builds.ts';
import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { ComparedRoutes } from '#src/flights/interface/builds/compared-routes.tsx';
import { BuildTable } from '#src/pages/_components/apps/build-table.tsx';
import { readBuilds, type KnownBuild } from '#src/pages/_components/apps/read-builds.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { appPath, appsPath } from '#src/server/http/addresses.ts';
import { OwnPages } from '#src/ui/own-pages.tsx';
import { EmptyState } from '#viewer/empty-state.tsx';
import { Panel } from '#viewer/panel.tsx';

/** As long as a stored name is. */
const longestName = 200;

function OldTabs({ builds }: { builds: readonly KnownBuild[] }) {
  const [newest, ...older] = builds.filter(({ use }) => use !== undefined);
  const tabs = older.reduce((sum, { use }) => sum + (use?.visits ?? 0), 0);
  if (!newest || tabs === 0) return null;
  return (
    <p>
      About {countOf(tabs, 'tab')} of the last half hour {tabs === 1 ? 'was' : 'were'} loaded before{' '}
      <span className="code">{newest.name}</span>: tabs of one browser count as one, and one that was loaded anew after
      the proxy began again counts in both.
    </p>
  );
}

export default async function BuildsPage({ id, query }: { id: string; query: string }) {
  const app = await findApp(id);
  if (!app) notFound();
  const now = Date.now();
  const { builds, figures } = await readBuilds(id, now);
  const asked = new URLSearchParams(query).get('build')?.slice(0, longestName);
  const chosen = (builds.find(({ name }) => name === asked) ?? builds.find(({ use }) => use !== undefined))?.name;
  const before = chosen === undefined ? undefined : findBuildBefore(figures, chosen);
  const routes = chosen === undefined ? [] : compareBuilds(figures, chosen, before);
  return (
    <div className="stack-5">
      <title>{`Builds of ${app.name} · Flight Recorder`}</title>
      <OwnPages isAlone={false} />
      <div className="stack-2">
        <p className="text-quiet">
          <Link to={appsPath} prefetch="intent">
            Apps
          </Link>{' '}
          ·{' '}
          <Link to={appPath(id)} prefetch="intent">
            {app.name}
          </Link>
        </p>
        <h1>Builds</h1>
        <OldTabs builds={builds} />
        <WhyFewFlights app={id} />
      </div>
      <Panel title="Which build answered">
        {builds.length > 0 ? (
          <BuildTable app={id} builds={builds} chosen={chosen} now={now} />
        ) : (
          <EmptyState title="No build is known">
            <p>
              Answers of Next.js, of Waku and of React Router 8 say theirs when they are recorded; of other apps the
              option <code>--release</code> does. <Link to={appPath(id)}>How to record this app</Link>
            </p>
          </EmptyState>
        )}
      </Panel>
      {chosen !== undefined && routes.length > 0 ? (
        <Panel title={before === undefined ? `Routes of ${chosen}` : `What changed in ${chosen}`}>
          <p className="text-quiet">
            {before === undefined ? (
              'No earlier build is recorded.'
            ) : (
              <>
                Beside <span className="code">{before}</span>, the build before it.
              </>
            )}{' '}
            Of each route the median of its answers below 400: half were no larger, and half no slower.
          </p>
          <ComparedRoutes routes={routes} />
        </Panel>
      ) : null}
      <p className="text-sm text-quiet">
        Counted in the newest 10,000 flights that are kept. A tab is open when it asked for something in the last half
        hour; of another app it is guessed who is one visitor. Faults are those of servers that began with the build.
      </p>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
