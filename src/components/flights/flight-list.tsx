import { formatBytes, formatDuration } from '#flight';
import { flightPath } from '#src/http/addresses.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { DigestLink } from '#src/components/digest-link.tsx';
import { KindBadge } from '#src/components/kind-badge.tsx';
import { Moment } from '#src/components/moment.tsx';
import type { FlightSummary } from '#src/recorder/flight-record.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { AppTag, PrefetchOutcomeTag, HitsTag, OutcomeTags, RenderingTag, StatusText } from './flight-tags.tsx';
import { Meter } from './meter.tsx';
import { nameFlight } from './name-flight.ts';

/** How many digests of one flight are shown. The rest are on the flight's own page. */
const digestsShown = 2;

type Most = { readonly bytes: number; readonly ms: number };

function Times({ flight, most }: { flight: FlightSummary; most: Most }) {
  const wait = flight.firstByteMs ?? flight.durationMs;
  return (
    <span data-kind={flight.kind}>
      <span className="whitespace-nowrap">
        {formatDuration(flight.durationMs)}
        {flight.firstByteMs === undefined ? null : (
          <span className="text-quiet" title="time to the first byte">
            {' '}
            ({formatDuration(flight.firstByteMs)})
          </span>
        )}
      </span>
      <Meter most={most.ms} parts={[{ value: wait, className: 'meter-wait' }, { value: flight.durationMs - wait }]} />
    </span>
  );
}

type RowProps = {
  readonly flight: FlightSummary;
  readonly most: Most;
  readonly now: number;
  readonly apps: readonly AppName[];
};

function Row({ flight, most, now, apps }: RowProps) {
  return (
    <tr>
      <td data-beside>
        <KindBadge kind={flight.kind} />
      </td>
      <th scope="row" className="sm:w-[34%]">
        <Link to={flightPath(flight.id)} prefetch="intent" className="code font-medium">
          {nameFlight(flight)}
        </Link>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-normal">
          <AppTag flight={flight} apps={apps} />
          <RenderingTag rendering={flight.rendering} />
          <HitsTag flight={flight} />
          <PrefetchOutcomeTag flight={flight} />
          <OutcomeTags flight={flight} />
          {flight.digests.slice(0, digestsShown).map((digest) => (
            <DigestLink key={digest} digest={digest} app={flight.app} />
          ))}
          {flight.digests.length > digestsShown ? <span>and {flight.digests.length - digestsShown} more</span> : null}
        </span>
        {flight.actionId === undefined ? null : (
          <span className="code block font-normal text-quiet">{flight.actionId}</span>
        )}
      </th>
      <td data-label="Status">
        <StatusText status={flight.status} />
      </td>
      <td data-label="Bytes">
        <span data-kind={flight.kind} className="whitespace-nowrap">
          {formatBytes(flight.bytes)}
          {flight.lastAt === undefined ? null : <span className="text-quiet"> each</span>}
          <Meter most={most.bytes} parts={[{ value: flight.bytes }]} />
        </span>
      </td>
      <td data-label="Time">
        <Times flight={flight} most={most} />
      </td>
      <td data-label="Chunks">{flight.writes}</td>
      <td data-label="When" className="whitespace-nowrap">
        <Moment time={flight.startedAt} now={now} isDense />
      </td>
    </tr>
  );
}

type FlightListProps = {
  readonly flights: readonly FlightSummary[];
  readonly now: number;
  readonly label: string;
  /** Whose flights these may be. */
  readonly apps: readonly AppName[];
};

/** Flights, in the given order. On a narrow screen each row folds. Bars compare the rows with each other. */
export function FlightList({ flights, now, label, apps }: FlightListProps) {
  const most = {
    bytes: Math.max(...flights.map((flight) => flight.bytes)),
    ms: Math.max(...flights.map((flight) => flight.durationMs)),
  };
  return (
    <table className="fold flight-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Flight</th>
          <th scope="col">Status</th>
          <th scope="col">Bytes</th>
          <th scope="col">Time (first byte)</th>
          <th scope="col">Chunks</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {flights.map((flight) => (
          <Row key={flight.id} flight={flight} most={most} now={now} apps={apps} />
        ))}
      </tbody>
    </table>
  );
}
