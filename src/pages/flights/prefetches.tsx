import { formatBytes } from '#flight';
import { experimentPath, prefetchesPath } from '#src/http/addresses.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery, parseAppQuery } from '#src/components/app-query.ts';
import { AppSwitch } from '#src/components/app-switch.tsx';
import { EmptyState } from '#src/components/empty-state.tsx';
import { FlightsHeading } from '#src/components/flights/flights-heading.tsx';
import { describeWaste, LedgerKey, PrefetchLedger, sumLedger } from '#src/components/flights/prefetch-ledger.tsx';
import { Panel } from '#src/components/panel.tsx';
import { readPrefetchLedger } from '#src/recorder/for-operator/summaries.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { runtimeSettings } from '#src/runtime/settings.ts';

/** Paths of this app are much shorter. */
const longestPath = 300;

export default async function PrefetchesPage({ query }: { query: string }) {
  const under = (new URLSearchParams(query).get('under') ?? '').trim().slice(0, longestPath);
  const app = parseAppQuery(query);
  const apps = await listAppNames();
  const links = (await readPrefetchLedger(app === undefined ? {} : { app })).filter(({ path }) =>
    path.startsWith(under),
  );
  const sum = sumLedger(links);
  return (
    <div className="stack-5">
      <title>Prefetches · Flight Recorder</title>
      <FlightsHeading up app={app} title="Prefetches">
        {sum.sent > 0 ? (
          <p className="text-[1.0625rem]">
            <strong>{describeWaste(sum)}</strong> of {formatBytes(sum.bytes)} were wasted: of {sum.sent} prefetched
            pages {sum.used} were shown
            {sum.unknown === 0 || sum.wasted > 0 ? `, ${sum.wasted} never were` : null}.
            {sum.unknown > 0 ? ` Of ${sum.unknown} nothing says whether they were.` : null}
          </p>
        ) : null}
        <p>
          A prefetch is wasted when nobody saw its page: the document was closed first, or the page became too old,
          after {runtimeSettings.prefetchDynamicLifetimeMs / 1_000} s for a dynamic page and{' '}
          {runtimeSettings.prefetchStaticLifetimeMs / 1_000} s for a static one. Bytes are counted before compression.
        </p>
      </FlightsHeading>
      <AppSwitch apps={apps} app={app} path={prefetchesPath} to={(id) => `${prefetchesPath}${formatAppQuery(id)}`} />
      <Panel title="By link, the most wasted first">
        <LedgerKey />
        <form method="get" action={prefetchesPath} className="filters" aria-label="Filter">
          {app === undefined ? null : <input type="hidden" name="app" value={app} />}
          <label>
            Path begins with
            <input name="under" defaultValue={under} placeholder={experimentPath('prefetch')} spellCheck={false} />
          </label>
          <span className="flex items-center gap-3">
            <button type="submit">Filter</button>
            {under ? <a href={`${prefetchesPath}${formatAppQuery(app)}`}>Show all</a> : null}
          </span>
        </form>
        {links.length > 0 ? (
          <PrefetchLedger links={links} app={app} />
        ) : (
          <EmptyState title={under ? 'No prefetch of such a path' : 'No prefetch recorded'}>
            <p>
              Links are prefetched when they come near the screen or are pointed at. Open{' '}
              <Link to={experimentPath('prefetch')}>a page with many links</Link>, scroll, follow one, and come back.
            </p>
          </EmptyState>
        )}
        <p className="text-sm text-quiet">
          These are the newest 10,000 entries of prefetches. When so many came at once that they were counted together,
          the outcome of each is not known. The browsers of another app do not report which prefetched page they show:
          some are known to be used, from the requests that follow, and none to be wasted for certain.
        </p>
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
