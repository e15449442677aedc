import { flightsPath } from '#src/server/http/addresses.ts';
import { listAppNames, type AppName } from '#src/apps/for-operator/read-apps.ts';
import { AppSwitch } from '#src/ui/app-switch.tsx';
import { FlightFilters } from '#src/flights/interface/flight-filters.tsx';
import {
  formatFlightQuery,
  leavesOutOwn,
  parseFlightQuery,
  toFirstPage,
  toFlightFilter,
} from '#src/flights/interface/flight-query.ts';
import { FlightsHeading } from '#src/flights/interface/flights-heading.tsx';
import { FlightsTabs } from '#src/flights/interface/flights-tabs.tsx';
import { writeEventsAddress } from '#src/flights/interface/events-address.ts';
import { LiveFlights } from '#src/flights/interface/live-flights.tsx';
import { readListed, ShownFlights } from '#src/flights/interface/shown-flights.tsx';
import { RouteTime } from '#src/flights/interface/route-time.tsx';
import { RecordingNotice } from '#src/flights/interface/recording-notice.tsx';
import { Term } from '#viewer/term.tsx';
import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { ownApp } from '#src/store/own-app.ts';
import { formatPolicy, type Policy } from '#src/apps/policy.ts';
import { listKept, type Kept } from '#src/flights/for-operator/list-kept.ts';
import { readRouteTime } from '#src/flights/for-operator/read-route-time.ts';
import { countAppFlights } from '#src/flights/for-operator/app-counts.ts';
import { readStoredRecording } from '#src/flights/for-operator/recording-state.ts';
import { listRoutes } from '#src/flights/for-operator/summaries.ts';

/** Apps of which something else is kept than the notice says of this server. */
function listOtherwise(apps: readonly AppName[], kept: ReadonlyMap<string, Kept>, own: Policy | undefined) {
  return apps.flatMap(({ id, name }) => {
    const now = kept.get(id)?.now;
    return now === undefined || own === undefined || formatPolicy(now) === formatPolicy(own) ? [] : { name, kept: now };
  });
}

export default async function FlightsPage({ query: search }: { query: string }) {
  const query = parseFlightQuery(search);
  const apps = await listAppNames();
  const filter = toFlightFilter(query, apps);
  const [recording, listed] = [await readStoredRecording(), await readListed(query, filter)];
  const chosen = apps.find(({ id }) => id === query.app);
  const ofApp = chosen && (await countAppFlights([chosen.id])).get(chosen.id);
  const isOfOthers = leavesOutOwn(query, apps);
  const kept = await listKept();
  const routes = await listRoutes({
    ...(query.app === undefined ? {} : { app: query.app }),
    ...(isOfOthers ? { isOfOthers } : {}),
  });
  const now = Date.now();
  const route = query.view === 'list' ? filter?.route : undefined;
  const time = route === undefined ? undefined : await readRouteTime({ ...filter, route }, now);
  const isLive = filter !== undefined && listed.view === 'newest' && recording?.policy.mode !== 'off';
  return (
    <div className="stack-3">
      <title>Flights · Flight Recorder</title>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <FlightsHeading title={<Term word="flight">Flights</Term>} />
        <AppSwitch
          apps={apps}
          app={query.app}
          path={flightsPath}
          to={(app) => `${flightsPath}${formatFlightQuery({ ...toFirstPage(query), app, isWithOwn: false })}`}
          own={{
            isLeftOut: isOfOthers,
            to: `${flightsPath}${formatFlightQuery({ ...toFirstPage(query), isWithOwn: isOfOthers })}`,
          }}
        />
      </div>
      <RecordingNotice
        recording={recording}
        now={now}
        ofApp={chosen && { name: chosen.name, flights: ofApp?.flights ?? 0, kept: kept.get(chosen.id)?.now }}
        otherwise={chosen ? [] : listOtherwise(apps, kept, recording?.policy)}
      />
      <WhyFewFlights app={isOfOthers ? undefined : (query.app ?? ownApp)} />
      <section className="panel" aria-labelledby="shown">
        <h2 id="shown" className="sr-only">
          {query.view === 'routes' ? 'Totals' : 'Recorded flights'}
        </h2>
        <FlightsTabs query={query} shown={query.view}>
          {isLive ? (
            <LiveFlights address={writeEventsAddress(formatFlightQuery(query), { flightsSince: listed.newest })} />
          ) : null}
        </FlightsTabs>
        <div className="stack-3 px-4 py-3">
          <FlightFilters query={query} routes={routes} isDigestWrong={filter === undefined} />
          {time ? <RouteTime time={time} /> : null}
          <ShownFlights {...{ query, listed, now, apps, recording, kept, isLive, isOfOthers }} />
        </div>
      </section>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
