import { countOf, formatBytes, formatCount } from '#flight';
import { experimentPath, prefetchesPath } from '#src/server/http/addresses.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { AppSwitch } from '#src/ui/app-switch.tsx';
import { EmptyState } from '#viewer/empty-state.tsx';
import { Term } from '#viewer/term.tsx';
import {
  formatFlightQuery,
  leavesOutOwn,
  parseFlightQuery,
  toFlightFilter,
  withoutFilter,
} from '#src/flights/interface/flight-query.ts';
import { formatUtc } from '#src/ui/format-time.ts';
import { FlightsHeading } from '#src/flights/interface/flights-heading.tsx';
import { FlightsTabs } from '#src/flights/interface/flights-tabs.tsx';
import { LedgerKey, PrefetchLedger } from '#src/flights/interface/prefetch-ledger.tsx';
import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { ownApp } from '#src/store/own-app.ts';
import {
  addPrefetches,
  countLinks,
  readPrefetchLedger,
  type PrefetchSums,
} from '#src/flights/for-operator/prefetch-ledger.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { runtimeSettings } from '#src/runtime/settings.ts';

/** Paths of this app are much shorter. */
const longestPath = 300;
/** More groups than anybody reads: an app has as many links as products. */
const groupsShown = 100;

const groupings = [
  ['route', 'By route'],
  ['link', 'By link'],
  ['page', 'By page that prefetched'],
  ['trigger', 'By trigger'],
] as const;

/** `2026-11-23T16:20:00`, in UTC, as the field has it. */
function parseSince(text: string | null): number | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)) return undefined;
  const time = Date.parse(`${text}Z`);
  return Number.isNaN(time) ? undefined : time;
}

function describeNone(since: number | undefined): string {
  return since === undefined ? 'No prefetch is kept' : `No prefetch is kept since ${formatUtc(since)}`;
}

function Summary({ sums, links, since }: { sums: PrefetchSums; links: number; since: number | undefined }) {
  const { sent, used, unused, expired, waiting, unknown, bytes, wastedBytes, unknownBytes } = sums;
  const wasted = unused + expired;
  return (
    <p className="max-w-none">
      {since === undefined ? null : <>Since {formatUtc(since)}: </>}
      {countOf(sent, 'request')} for {countOf(links, 'link')}, {formatBytes(bytes)} of Flight.{' '}
      <strong>{formatBytes(wastedBytes)}</strong> {wasted === 1 ? 'was' : 'were'} wasted for certain, by{' '}
      {countOf(wasted, 'request')}. {formatCount(used)} {used === 1 ? 'was' : 'were'} used
      {waiting > 0 ? `, ${formatCount(waiting)} may still be` : null}.
      {unknown > 0 ? ` Of ${formatCount(unknown)} (${formatBytes(unknownBytes)}) it is unknown.` : null}
    </p>
  );
}

type FieldsProps = {
  /** What the address says besides these fields. */
  readonly kept: string;
  readonly under: string;
  readonly hasUnder: boolean;
  /** The list has this server's own prefetches. */
  readonly isOwn: boolean;
  readonly since: number | undefined;
  readonly now: number;
  readonly to: (since: number | undefined) => string;
};

/** A plain GET form, and links to times that are asked for often. */
function Fields({ kept, under, hasUnder, isOwn, since, now, to }: FieldsProps) {
  return (
    <form method="get" action={prefetchesPath} className="filters" aria-label="Filter">
      {[...new URLSearchParams(kept)].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {hasUnder ? (
        <label>
          Path begins with
          <input
            name="under"
            defaultValue={under}
            placeholder={isOwn ? experimentPath('prefetch') : '/products'}
            spellCheck={false}
          />
        </label>
      ) : null}
      <label>
        Since (UTC)
        <input
          type="datetime-local"
          name="since"
          step="1"
          defaultValue={since === undefined ? '' : new Date(since).toISOString().slice(0, 19)}
        />
      </label>
      <button type="submit" className="button-small">
        Filter
      </button>
      <a href={to(now)} title="After a mend: only what is prefetched from now on">
        From now on
      </a>
      {under !== '' || since !== undefined ? <a href={to(undefined)}>Show all</a> : null}
    </form>
  );
}

export default async function PrefetchesPage({ query: search }: { query: string }) {
  const fields = new URLSearchParams(search);
  const under = (fields.get('under') ?? '').trim().slice(0, longestPath);
  const by = groupings.find(([name]) => name === fields.get('by'))?.[0] ?? 'route';
  const since = parseSince(fields.get('since'));
  const query = withoutFilter({ ...parseFlightQuery(search), view: 'list', order: undefined });
  const apps = await listAppNames();
  const isOfOthers = leavesOutOwn(query, apps);
  const isOwn = !isOfOthers && (query.app ?? ownApp) === ownApp;
  const filter = { ...toFlightFilter(query, apps), ...(since === undefined ? {} : { since }) };
  const all = await readPrefetchLedger({ filter }, by);
  const groups = all.filter(({ name }) => under === '' || name?.startsWith(under));
  const sums = addPrefetches(groups);
  const to = (
    list: typeof query,
    { grouping = by, from = since }: { grouping?: string; from?: number | null } = {},
  ) => {
    const address = new URLSearchParams(formatFlightQuery(list));
    if (grouping !== 'route') address.set('by', grouping);
    if (typeof from === 'number') address.set('since', new Date(from).toISOString().slice(0, 19));
    return `${prefetchesPath}${address.size === 0 ? '' : `?${address}`}`;
  };
  return (
    <div className="stack-3">
      <title>Prefetches · Flight Recorder</title>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <FlightsHeading title={<Term word="prefetch">Prefetches</Term>} />
        <AppSwitch
          apps={apps}
          app={query.app}
          path={prefetchesPath}
          to={(app) => to({ ...query, app, isWithOwn: false })}
          own={{ isLeftOut: isOfOthers, to: to({ ...query, isWithOwn: isOfOthers }) }}
        />
      </div>
      <WhyFewFlights app={isOfOthers ? undefined : (query.app ?? ownApp)} />
      <section className="panel" aria-labelledby="shown">
        <h2 id="shown" className="sr-only">
          What became of prefetches
        </h2>
        <FlightsTabs query={query} shown="prefetches" />
        <div className="stack-3 px-4 py-3">
          {sums.sent > 0 ? <Summary sums={sums} links={countLinks(groups)} since={since} /> : null}
          {!isOwn && sums.wastedBytes > sums.bytes / 2 ? (
            <p>
              More than half of it was wasted. A link that wastes more than it saves does better without:{' '}
              <code>{'prefetch={false}'}</code> in Next.js, <code>prefetch=&quot;none&quot;</code> in React Router.
            </p>
          ) : null}
          {!isOwn && sums.unknown > sums.sent / 2 ? (
            <p>
              Browsers tell which ones they used where the app is started with <code>run --browser</code>.
            </p>
          ) : null}
          <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
            <nav aria-label="Grouped" className="choice-links">
              {groupings.map(([name, text]) => (
                <Link
                  key={name}
                  to={to(query, { grouping: name })}
                  prefetch="intent"
                  aria-current={name === by ? 'true' : undefined}
                >
                  {text}
                </Link>
              ))}
            </nav>
            <Fields
              kept={to(query, { from: null }).split('?')[1] ?? ''}
              under={under}
              hasUnder={by !== 'trigger'}
              isOwn={isOwn}
              since={since}
              now={Date.now()}
              to={(from) => to(query, { from: from ?? null })}
            />
          </div>
          {groups.length > 0 ? (
            <>
              <PrefetchLedger groups={groups.slice(0, groupsShown)} by={by} query={query} />
              <LedgerKey />
            </>
          ) : (
            <EmptyState title={under ? 'No prefetch of such a path' : describeNone(since)}>
              <p>
                Links are prefetched when they come near the screen or are pointed at.{' '}
                {isOwn ? (
                  <>
                    Open <Link to={experimentPath('prefetch')}>a page with many links</Link>, scroll, follow one, and
                    come back.
                  </>
                ) : (
                  'Open a page of the app, follow a link, and come back.'
                )}
              </p>
            </EmptyState>
          )}
          <p className="text-sm text-quiet">
            Each request is counted, and a framework may send several for one link. A prefetch is wasted when nobody saw
            its page: the document was closed first, or the page became too old: here after{' '}
            {runtimeSettings.prefetchDynamicLifetimeMs / 1_000} s for a dynamic page and{' '}
            {runtimeSettings.prefetchStaticLifetimeMs / 1_000} s for a static one, of Next.js after five minutes. Sizes
            are those of Flight, before compression.{' '}
            {groups.length > groupsShown
              ? `These are the first ${groupsShown} of ${formatCount(groups.length)}, `
              : 'These are '}
            of the newest 10,000 prefetches that are kept. When so many came at once that they were counted together,
            the outcome of each is not known. The browsers of another app report which prefetched page they show, and
            what triggered a prefetch, where its pages have the browser’s module: <code>run --browser</code> adds it.
            Without it some prefetches of Next.js are known to be used or wasted from the requests that follow, and the
            others are unknown.
          </p>
        </div>
      </section>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
