import '#src/components/flights/flights.css';
import './faults.css';

import { countOf, formatCount } from '#flight';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/components/app-query.ts';
import { AppSwitch } from '#src/components/app-switch.tsx';
import { writeEventsAddress } from '#src/components/flights/events-address.ts';
import { LiveFlights } from '#src/components/flights/live-flights.tsx';
import { NearDigests } from '#src/components/incident/near-digests.tsx';
import { KeptLinks } from '#src/components/kept-links.tsx';
import { SearchForm } from '#src/components/search-form.tsx';
import { faultsPath } from '#src/http/addresses.ts';
import { listFacets } from '#src/reports/faults/list-facets.ts';
import { type FaultList as Listed, listFaultIds, listFaults } from '#src/reports/faults/list-faults.ts';
import { faultsAtOnce } from '#src/reports/faults/triage-result.ts';
import { findNearDigests } from '#src/reports/find-digest.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { FaultFilters } from './fault-filters.tsx';
import { FaultList, FaultOrders } from './fault-list.tsx';
import { FaultPages } from './fault-pages.tsx';
import { formatFaultQuery, hasFilter, toFirstPage, toListQuery, type FaultQuery } from './fault-query.ts';
import { NoFaults } from './no-faults.tsx';
import { TriageForm } from './triage-form.tsx';
import { TriageNotice } from './triage-notice.tsx';

/** `37 of 131 faults`: the number of all faults is never left out. */
function describeCount({ filtered, total, claimsLeftOut }: Listed, query: FaultQuery): string {
  const isAll = filtered === total;
  if (isAll) return countOf(total, 'fault');
  const what = hasFilter(query) || claimsLeftOut > 0 ? '' : ' are open';
  return `${formatCount(filtered)} of ${countOf(total, 'fault')}${what}`;
}

/** What is counted as new is not filtered, and stands at the top of the first page. Who is about to change all of them wants no others. */
function isLive(query: FaultQuery): boolean {
  return !hasFilter(query) && query.place === undefined && query.order === 'last' && query.chosen !== 'all';
}

function Heading({ list, query, now }: { list: Listed; query: FaultQuery; now: number }) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
      <h1>Faults</h1>
      {list.total === 0 ? null : <p className="text-quiet">{describeCount(list, query)}</p>}
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

export async function FaultListPage({ query, done, now }: FaultListPageProps) {
  const listQuery = toListQuery(query, now);
  const list = await listFaults(listQuery, now);
  const apps = await listAppNames();
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
              These words are in very many occurrences: the latest {formatCount(list.searchedOnly)} of them were
              searched.
            </p>
          )}
          {list.trace === undefined || isEmpty ? null : (
            <p className="text-sm text-quiet">
              All of these occurred in the trace <span className="code">{list.trace}</span>. Each leads to its latest
              occurrence in it.
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
          {list.claimsLeftOut === 0 ? null : (
            <p className="text-sm text-quiet">
              {formatCount(list.claimsLeftOut)} more that only browsers claim ·{' '}
              <Link to={`${faultsPath}${formatFaultQuery({ ...toFirstPage(query), side: 'any' })}`} prefetch="intent">
                show
              </Link>
            </p>
          )}
          <FaultPages query={query} list={list} />
        </div>
      </section>
      <NearDigests digests={near} now={now} />
      <KeptLinks />
    </div>
  );
}
