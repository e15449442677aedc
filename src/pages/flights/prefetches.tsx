import { countOf, formatBytes, formatCount } from '#flight';
import { experimentPath, prefetchesPath } from '#src/http/addresses.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { AppSwitch } from '#src/components/app-switch.tsx';
import { EmptyState } from '#src/components/empty-state.tsx';
import {
  formatFlightQuery,
  leavesOutOwn,
  parseFlightQuery,
  toFlightFilter,
  withoutFilter,
} from '#src/components/flights/flight-query.ts';
import { FlightsHeading } from '#src/components/flights/flights-heading.tsx';
import { FlightsTabs } from '#src/components/flights/flights-tabs.tsx';
import { describeWaste, LedgerKey, PrefetchLedger } from '#src/components/flights/prefetch-ledger.tsx';
import { WhyFewFlights } from '#src/components/flights/why-few-flights.tsx';
import { ownApp } from '#src/store/own-app.ts';
import {
  addPrefetches,
  countLinks,
  readPrefetchLedger,
  type PrefetchSums,
} from '#src/recorder/for-operator/prefetch-ledger.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { runtimeSettings } from '#src/runtime/settings.ts';

/** Paths of this app are much shorter. */
const longestPath = 300;
/** More groups than anybody reads: an app has as many links as products. */
const groupsShown = 100;

const groupings = [
  ['link', 'By link'],
  ['page', 'By page that prefetched'],
  ['trigger', 'By trigger'],
] as const;

function Summary({ sums, links }: { sums: PrefetchSums; links: number }) {
  const { sent, used, unused, expired, unknown, bytes } = sums;
  const wasted = unused + expired;
  return (
    <p className="max-w-none">
      <strong>{describeWaste(sums)}</strong> of {formatBytes(bytes)} of Flight {wasted > 0 ? 'were' : 'may be'} wasted:
      of {countOf(sent, 'request')} for {countOf(links, 'link')}, {formatCount(used)} {used === 1 ? 'was' : 'were'} used
      {unknown === 0 || wasted > 0 ? `, ${formatCount(wasted)} never ${wasted === 1 ? 'was' : 'were'}` : null}.
      {unknown > 0 ? ` Of ${formatCount(unknown)} nothing says whether they were.` : null}
    </p>
  );
}

export default async function PrefetchesPage({ query: search }: { query: string }) {
  const fields = new URLSearchParams(search);
  const under = (fields.get('under') ?? '').trim().slice(0, longestPath);
  const by = groupings.find(([name]) => name === fields.get('by'))?.[0] ?? 'link';
  const query = withoutFilter({ ...parseFlightQuery(search), view: 'list', order: undefined });
  const apps = await listAppNames();
  const isOfOthers = leavesOutOwn(query, apps);
  const filter = toFlightFilter(query, apps) ?? {};
  const all = await readPrefetchLedger({ filter }, by);
  const groups = all.filter(({ name }) => under === '' || name?.startsWith(under));
  const sums = addPrefetches(groups);
  const to = (list: typeof query, grouping: string = by) => {
    const address = new URLSearchParams(formatFlightQuery(list));
    if (grouping !== 'link') address.set('by', grouping);
    return `${prefetchesPath}${address.size === 0 ? '' : `?${address}`}`;
  };
  return (
    <div className="stack-3">
      <title>Prefetches · Flight Recorder</title>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <FlightsHeading title="Prefetches" />
        <AppSwitch
          apps={apps}
          app={query.app}
          path={prefetchesPath}
          to={(app) => to({ ...query, app, isWithOwn: false })}
          own={{ isLeftOut: isOfOthers, to: to({ ...query, isWithOwn: isOfOthers }) }}
        />
      </div>
      {isOfOthers ? null : <WhyFewFlights app={query.app ?? ownApp} />}
      <section className="panel" aria-labelledby="shown">
        <h2 id="shown" className="sr-only">
          What became of prefetches
        </h2>
        <FlightsTabs query={query} shown="prefetches" />
        <div className="stack-3 px-4 py-3">
          {sums.sent > 0 ? <Summary sums={sums} links={countLinks(groups)} /> : null}
          <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
            <nav aria-label="Grouped" className="choice-links">
              {groupings.map(([name, text]) => (
                <Link key={name} to={to(query, name)} prefetch="intent" aria-current={name === by ? 'true' : undefined}>
                  {text}
                </Link>
              ))}
            </nav>
            {by === 'trigger' ? null : (
              <form method="get" action={prefetchesPath} className="filters" aria-label="Filter">
                {[...new URLSearchParams(to(query).split('?')[1])].map(([name, value]) => (
                  <input key={name} type="hidden" name={name} value={value} />
                ))}
                <label>
                  Path begins with
                  <input
                    name="under"
                    defaultValue={under}
                    placeholder={experimentPath('prefetch')}
                    spellCheck={false}
                  />
                </label>
                <button type="submit" className="button-small">
                  Filter
                </button>
                {under ? <a href={to(query)}>Show all</a> : null}
              </form>
            )}
          </div>
          {groups.length > 0 ? (
            <>
              <PrefetchLedger groups={groups.slice(0, groupsShown)} by={by} query={query} />
              <LedgerKey />
            </>
          ) : (
            <EmptyState title={under ? 'No prefetch of such a path' : 'No prefetch recorded'}>
              <p>
                Links are prefetched when they come near the screen or are pointed at. Open{' '}
                <Link to={experimentPath('prefetch')}>a page with many links</Link>, scroll, follow one, and come back.
              </p>
            </EmptyState>
          )}
          <p className="text-sm text-quiet">
            Each request is counted, and a framework may send several for one link. A prefetch is wasted when nobody saw
            its page: the document was closed first, or the page became too old, after{' '}
            {runtimeSettings.prefetchDynamicLifetimeMs / 1_000} s for a dynamic page and{' '}
            {runtimeSettings.prefetchStaticLifetimeMs / 1_000} s for a static one. Sizes are those of Flight, before
            compression.{' '}
            {groups.length > groupsShown
              ? `These are the first ${groupsShown} of ${formatCount(groups.length)}, `
              : 'These are '}
            of the newest 10,000 entries of prefetches. When so many came at once that they were counted together, the
            outcome of each is not known. The browsers of another app do not report which prefetched page they show, nor
            what triggered a prefetch: some are known to be used, from the requests that follow, and none to be wasted
            for certain.
          </p>
        </div>
      </section>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
