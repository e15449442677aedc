import { countOf, formatCount } from '#flight';
import { type AppName, listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/ui/app-query.ts';
import { AppSwitch } from '#src/ui/app-switch.tsx';
import { writeEventsAddress } from '#src/flights/interface/events-address.ts';
import { LiveFlights } from '#src/flights/interface/live-flights.tsx';
import { NearDigests } from '#src/faults/interface/error/near-digests.tsx';
import { KeptLinks } from '#src/ui/kept-links.tsx';
import { Term } from '#viewer/term.tsx';
import { SearchForm } from '#src/ui/search-form.tsx';
import { faultsPath } from '#src/server/http/addresses.ts';
import { listFacets } from '#src/faults/grouping/list-facets.ts';
import {
  type FaultList as Listed,
  type FaultListQuery,
  type ListedFault,
  listFaultIds,
  listFaults,
} from '#src/faults/grouping/list-faults.ts';
import { faultsAtOnce } from '#src/faults/grouping/triage-result.ts';
import { findNearDigests } from '#src/faults/digests/find-digest.ts';

import { FaultFilters } from './fault-filters.tsx';
import { FaultList, FaultOrders } from './fault-list.tsx';
import { FaultPages } from './fault-pages.tsx';
import { type FaultQuery, formatFaultQuery, hasFilter, toFirstPage, toListQuery } from './fault-query.ts';
import { NoFaults } from './no-faults.tsx';
import { TriageForm } from './triage-form.tsx';
import { TriageNotice } from './triage-notice.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';

/** `37 of 131 faults`: the number of all faults is never left out. */
function describeCount({ filtered, total, untrustedLeftOut }: Listed, query: FaultQuery): string {
  const isAll = filtered === total;
  if (isAll) return countOf(total, 'fault');
  const what = hasFilter(query) || untrustedLeftOut > 0 ? '' : ' are open';
  return `${formatCount(filtered)} of ${countOf(total, 'fault')}${what}`;
}

/** What is counted as new is not filtered, and stands at the top of the first page. Who is about to change all of them wants no others. */
function isLive(query: FaultQuery): boolean {
  return !hasFilter(query) && query.place === undefined && query.order === 'last' && query.chosen !== 'all';
}

/** Below a page of faults, so that they are seen; few, since anybody can post as many as they like. */
const untrustedShown = 5;

const untrustedAnchor = 'untrusted';

type UntrustedFaultsProps = {
  readonly faults: readonly ListedFault[];
  /** How many there are, whether shown or not. */
  readonly count: number;
  readonly query: FaultQuery;
  readonly apps: readonly AppName[];
  readonly now: number;
};

/** Faults that no server told of: a crash in a browser may be known by nothing else. */
function UntrustedFaults({ faults, count, query, apps, now }: UntrustedFaultsProps) {
  if (count === 0) return null;
  const all = `${faultsPath}${formatFaultQuery({ ...toFirstPage(query), side: 'browser' })}`;
  return (
    <section id={untrustedAnchor} aria-labelledby="untrusted-title" className="stack-3 border-t border-line pt-4">
      <h3 id="untrusted-title">{countOf(count, 'fault')} known from browsers alone</h3>
      <p className="text-sm text-quiet">
        What is counted of them are untrusted <Term word="error">errors</Term>: no server reported one.
      </p>
      <FaultList faults={faults} now={now} apps={apps} label="Known from browsers alone" />
      {count > faults.length ? (
        <p className="text-sm">
          <Link to={all} prefetch="intent">
            All {countOf(count, 'fault')} of browsers
          </Link>
        </p>
      ) : null}
    </section>
  );
}

function Heading({ list, query, now }: { list: Listed; query: FaultQuery; now: number }) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
      <h1>
        <Term word="fault">Faults</Term>
      </h1>
      {list.total === 0 ? null : <p className="text-quiet">{describeCount(list, query)}</p>}
      {list.untrustedLeftOut === 0 ? null : (
        <a href={`#${untrustedAnchor}`} className="text-sm">
          {formatCount(list.untrustedLeftOut)} more from browsers alone
        </a>
      )}
      {isLive(query) ? (
        <LiveFlights address={writeEventsAddress(formatAppQuery(query.app), { faultsSince: now })} />
      ) : null}
    </div>
  );
}

type FaultListPageProps = {
  readonly query: FaultQuery;
  /** What came of the last form: `?done=`. */
  readonly done: string | undefined;
  readonly now: number;
};

async function listUntrusted(query: FaultListQuery, now: number): Promise<readonly ListedFault[]> {
  const filter = { ...query.filter, side: 'browser' } as const;
  return (await listFaults({ ...query, filter, place: undefined, limit: untrustedShown }, now)).faults;
}

export async function FaultListPage({ query, done, now }: FaultListPageProps) {
  const listQuery = toListQuery(query, now);
  const list = await listFaults(listQuery, now);
  const apps = await listAppNames();
  const untrusted = list.untrustedLeftOut === 0 ? [] : await listUntrusted(listQuery, now);
  const ids = query.chosen === 'all' ? await listFaultIds({ ...listQuery, limit: faultsAtOnce }) : [];
  const isEmpty = list.faults.length === 0;
  const near = isEmpty && query.text !== '' ? await findNearDigests(query.text, now) : [];
  const listedApps = query.app === undefined ? apps : [];
  return (
    <div className="stack-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <Heading list={list} query={query} now={now} />
        <div className="min-w-0 basis-full sm:max-w-md sm:flex-1 sm:basis-0">
          <SearchForm app={query.app} typed={query.text} isSmall />
        </div>
      </div>
      <AppSwitch
        apps={apps}
        app={query.app}
        path={faultsPath}
        to={(app) => `${faultsPath}${formatFaultQuery({ ...toFirstPage(query), app })}`}
      />
      <TriageNotice done={done} back={`${faultsPath}${formatFaultQuery(query)}`} />
      <section className="panel" aria-labelledby="listed">
        <h2 id="listed" className="sr-only">
          Listed faults
        </h2>
        <div className="stack-3 px-4 py-3">
          {list.total > 0 ? <FaultFilters query={query} facets={await listFacets(query.app)} /> : null}
          {list.searchedOnly === undefined ? null : (
            <p className="text-sm text-quiet">
              These words are in very many errors: the latest {formatCount(list.searchedOnly)} of them were searched.
            </p>
          )}
          {list.trace === undefined || isEmpty ? null : (
            <p className="text-sm text-quiet">
              All of these occurred in the trace <span className="code">{list.trace}</span>. Each leads to its latest
              error in it.
            </p>
          )}
          {isEmpty ? (
            <NoFaults
              query={query}
              isNear={near.length > 0}
              total={list.total}
              app={apps.find(({ id }) => id === query.app)}
            />
          ) : (
            <>
              <FaultOrders query={query} />
              <TriageForm query={query} shown={list.faults.length} filtered={list.filtered} ids={ids}>
                <FaultList faults={list.faults} now={now} query={query} apps={listedApps} />
              </TriageForm>
            </>
          )}
          <FaultPages query={query} list={list} />
          <UntrustedFaults faults={untrusted} count={list.untrustedLeftOut} query={query} apps={listedApps} now={now} />
        </div>
      </section>
      <NearDigests digests={near} now={now} />
      <KeptLinks />
    </div>
  );
}
