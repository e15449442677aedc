import { formatBytes, formatDuration } from '#flight';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/ui/app-query.ts';
import { AppTag, OutcomeTags, StatusText } from '#src/flights/interface/flight-tags.tsx';
import { leavesOutOwn, parseFlightQuery } from '#src/flights/interface/flight-query.ts';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { NoFlights } from '#src/flights/interface/no-flights.tsx';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { flightPath, flightsPath } from '#src/server/http/addresses.ts';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import type { Kept } from '#src/flights/for-operator/list-kept.ts';
import type { StoredRecording } from '#src/flights/for-operator/recording-state.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

type LatestFlightsProps = {
  readonly flights: readonly FlightSummary[];
  /** Where there is no flight: it says why. */
  readonly recording: StoredRecording | undefined;
  readonly kept: ReadonlyMap<string, Kept>;
  readonly now: number;
  readonly app: string | undefined;
  readonly apps: readonly AppName[];
};

function Row({ flight, now, apps }: Pick<LatestFlightsProps, 'now' | 'apps'> & { flight: FlightSummary }) {
  const { id, kind, sizes, durationMs, status, startedAt } = flight;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 lg:flex-nowrap lg:gap-x-2">
      <KindBadge kind={kind} />
      <Link
        to={flightPath(id)}
        prefetch="intent"
        className="code min-w-0 [overflow-wrap:anywhere] sm:flex-1 lg:truncate"
      >
        {nameFlight(flight)}
      </Link>
      <span className="flex flex-wrap gap-x-3 lg:flex-nowrap lg:gap-x-2">
        {/* Beside the faults there is no room for these: the flight's page has them. */}
        <span className="contents lg:hidden">
          <AppTag flight={flight} apps={apps} />
          <OutcomeTags flight={flight} />
        </span>
        {/* In columns, so that the eye finds what is large or slow. */}
        <span className="sm:w-8 sm:text-right">
          <StatusText status={status} />
        </span>
        <span className="sm:w-16 sm:text-right lg:hidden">
          {sizes.flight === undefined ? '–' : formatBytes(sizes.flight)}
        </span>
        <span className="sm:w-16 sm:text-right lg:hidden">{formatDuration(durationMs)}</span>
        <span className="sm:w-20 sm:text-right lg:w-auto lg:whitespace-nowrap">
          <Moment time={startedAt} now={now} isDense />
        </span>
      </span>
    </li>
  );
}

/** A few flights, with the way to all. */
export function LatestFlights({ flights, recording, kept, now, app, apps }: LatestFlightsProps) {
  const query = parseFlightQuery(formatAppQuery(app));
  return (
    <Panel
      title="Latest flights"
      word="flight"
      aside={
        <Link to={`${flightsPath}${formatAppQuery(app)}`} prefetch="intent" className="text-sm">
          All flights
        </Link>
      }
    >
      {flights.length === 0 ? (
        <NoFlights
          recording={recording}
          isFiltered={false}
          app={apps.length > 1 ? apps.find(({ id }) => id === app) : undefined}
          kept={app === undefined ? undefined : kept.get(app)}
          query={query}
          isOfOthers={leavesOutOwn(query, apps)}
          isAlone
        />
      ) : (
        <ul className="stack-2 list-none text-sm">
          {flights.map((flight) => (
            <Row key={flight.id} flight={flight} now={now} apps={apps} />
          ))}
        </ul>
      )}
    </Panel>
  );
}
