import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import type { FlightSummary } from '../flight/flight-record.ts';
import type { FlightFilter } from '#src/flights/for-operator/match-flights.ts';
import { findNewerPage, listFlights } from '#src/flights/for-operator/queries.ts';
import type { StoredRecording } from '#src/flights/for-operator/recording-state.ts';
import { listSortedFlights, type SortedPage } from '#src/flights/for-operator/sort-flights.ts';
import { sumRoutes, type RouteTotals as Totals } from '#src/flights/for-operator/summaries.ts';

import { CompareTicked } from './list-forms.tsx';
import { FlightList } from './flight-list.tsx';
import { FlightPages, SortedPages } from './flight-pages.tsx';
import { hasFilter, type FlightQuery } from './flight-query.ts';
import { FlightsChart } from './flights-chart.tsx';
import type { Kept } from '../for-operator/list-kept.ts';
import { NoFlights } from './no-flights.tsx';
import { RouteTotals } from './route-totals.tsx';
import { SortChoice } from './sort-links.tsx';

const pageSize = 50;

/** What the address asks for, read from the recording. */
export type Listed =
  /** Newest first: of this list alone it can be said how many came. */
  | {
      readonly view: 'newest';
      readonly flights: readonly FlightSummary[];
      readonly older: number | undefined;
      readonly newest: number;
    }
  | {
      readonly view: 'older';
      readonly flights: readonly FlightSummary[];
      readonly older: number | undefined;
      readonly newer: number | undefined;
      readonly newest: number;
    }
  | {
      readonly view: 'sorted';
      readonly flights: readonly FlightSummary[];
      readonly page: SortedPage;
      readonly newest: number;
    }
  | { readonly view: 'routes'; readonly totals: readonly Totals[]; readonly newest: number };

/** @param filter undefined where nothing can match */
export async function readListed(query: FlightQuery, filter: FlightFilter | undefined): Promise<Listed> {
  const { before, skip, order } = query;
  const from = before === undefined ? {} : { before };
  if (!filter) return { view: 'newest', flights: [], older: undefined, newest: 0 };
  if (query.view === 'routes') return { view: 'routes', totals: await sumRoutes(filter), newest: 0 };
  if (order) {
    const page = await listSortedFlights(filter, order, { ...from, skip, limit: pageSize });
    return { view: 'sorted', flights: page.flights, page, newest: page.newest };
  }
  const { flights, next, newest } = await listFlights(filter, { ...from, limit: pageSize });
  if (before === undefined) return { view: 'newest', flights, older: next, newest };
  return { view: 'older', flights, older: next, newer: await findNewerPage(filter, before, pageSize), newest };
}

function Pages({ query, listed }: { query: FlightQuery; listed: Listed }) {
  switch (listed.view) {
    case 'newest':
      return <FlightPages query={query} older={listed.older} newer={undefined} />;
    case 'older':
      return <FlightPages query={query} older={listed.older} newer={listed.newer} />;
    case 'sorted':
      return <SortedPages query={query} page={listed.page} pageSize={pageSize} />;
    case 'routes':
      return null;
  }
}

type ShownFlightsProps = {
  readonly query: FlightQuery;
  readonly listed: Listed;
  readonly now: number;
  readonly apps: readonly AppName[];
  readonly recording: StoredRecording | undefined;
  readonly kept: ReadonlyMap<string, Kept>;
  readonly isLive: boolean;
  readonly isOfOthers: boolean;
};

/** The flights or the totals of the page, or why there are none. */
export function ShownFlights({ query, listed, now, apps, recording, kept, isLive, isOfOthers }: ShownFlightsProps) {
  const isEmpty = listed.view === 'routes' ? listed.totals.length === 0 : listed.flights.length === 0;
  if (isEmpty) {
    const isFiltered = hasFilter(query) || query.before !== undefined;
    const app = apps.find(({ id }) => id === query.app);
    return (
      <>
        <NoFlights {...{ recording, isFiltered, app, query, isOfOthers }} kept={app && kept.get(app.id)} />
        <Pages query={query} listed={listed} />
      </>
    );
  }
  const listedApps = query.app === undefined ? apps.filter(({ isOwn }) => !isOwn || !isOfOthers) : [];
  if (listed.view === 'routes') return <RouteTotals totals={listed.totals} query={query} />;
  return (
    <>
      <FlightsChart flights={listed.flights} />
      <SortChoice query={query} />
      <CompareTicked>
        <div className={isLive ? 'live-list' : undefined}>
          <FlightList flights={listed.flights} now={now} query={query} apps={listedApps} />
        </div>
      </CompareTicked>
      <Pages query={query} listed={listed} />
    </>
  );
}
