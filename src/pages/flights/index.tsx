import { flightsPath, prefetchesPath } from '#src/http/addresses.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/components/app-query.ts';
import { AppSwitch } from '#src/components/app-switch.tsx';
import { FlightFilters } from '#src/components/flights/flight-filters.tsx';
import { FlightPages } from '#src/components/flights/flight-pages.tsx';
import {
  formatFlightQuery,
  hasFilter,
  parseFlightQuery,
  toFlightFilter,
} from '#src/components/flights/flight-query.ts';
import { FlightList } from '#src/components/flights/flight-list.tsx';
import { FlightsChart } from '#src/components/flights/flights-chart.tsx';
import { FlightsHeading } from '#src/components/flights/flights-heading.tsx';
import { LiveFlights } from '#src/components/flights/live-flights.tsx';
import { NoFlights } from '#src/components/flights/no-flights.tsx';
import { RecordingNotice } from '#src/components/flights/recording-notice.tsx';
import { RouteTotals } from '#src/components/flights/route-totals.tsx';
import { Panel } from '#src/components/panel.tsx';
import { countAppFlights } from '#src/recorder/for-operator/app-counts.ts';
import { findNewerPage, listFlights } from '#src/recorder/for-operator/queries.ts';
import { readStoredRecording } from '#src/recorder/for-operator/recording-state.ts';
import { sumRoutes } from '#src/recorder/for-operator/summaries.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

const pageSize = 50;

export default async function FlightsPage({ query: search }: { query: string }) {
  const query = parseFlightQuery(search);
  const filter = toFlightFilter(query);
  const { before } = query;
  const { flights, next, newest } = filter
    ? await listFlights(filter, { limit: pageSize, ...(before === undefined ? {} : { before }) })
    : { flights: [], next: undefined, newest: 0 };
  const newer = filter && before !== undefined ? await findNewerPage(filter, before, pageSize) : undefined;
  const [recording, totals] = [await readStoredRecording(), await sumRoutes(query.app)];
  const apps = await listAppNames();
  const chosen = apps.find(({ id }) => id === query.app);
  const ofApp = chosen && (await countAppFlights([chosen.id])).get(chosen.id);
  const now = Date.now();
  const isLive = filter !== undefined && before === undefined && recording?.policy.mode !== 'off';
  return (
    <div className="stack-5">
      <title>Flights · Flight Recorder</title>
      <FlightsHeading title="Flights">
        <p>
          What was sent to browsers, response by response. Or look at what was{' '}
          <Link to={`${prefetchesPath}${formatAppQuery(query.app)}`} prefetch="intent">
            prefetched, and wasted
          </Link>
          .
        </p>
      </FlightsHeading>
      <AppSwitch
        apps={apps}
        app={query.app}
        path={flightsPath}
        to={(app) => `${flightsPath}${formatFlightQuery({ ...query, app, before: undefined })}`}
      />
      <RecordingNotice
        recording={recording}
        now={now}
        ofApp={chosen && { name: chosen.name, flights: ofApp?.flights ?? 0 }}
      />
      <Panel title="Filter">
        <FlightFilters
          query={query}
          routes={[...new Set(totals.map(({ route }) => route))]}
          isDigestWrong={filter === undefined}
        />
      </Panel>
      <Panel
        title={before === undefined ? 'Newest flights' : 'Older flights'}
        aside={isLive ? <LiveFlights search={formatFlightQuery(query)} newest={newest} /> : null}
      >
        {flights.length > 0 ? (
          <div className={isLive ? 'stack-4 live-list' : 'stack-4'}>
            <FlightsChart flights={flights} />
            <FlightList flights={flights} now={now} label="Flights" apps={apps} />
          </div>
        ) : (
          <NoFlights recording={recording} isFiltered={hasFilter(query) || before !== undefined} app={chosen} />
        )}
        <FlightPages query={query} older={next} newer={newer} />
      </Panel>
      {totals.length > 0 ? (
        <Panel title="Totals by route">
          <RouteTotals totals={totals} app={query.app} />
        </Panel>
      ) : null}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
