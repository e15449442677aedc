import './flights.css';

import { formatBytes, formatDuration } from '#flight';

import { flightsPath } from '#src/server/http/addresses.ts';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Moment } from '#src/ui/moment.tsx';
import type { FlightSummary } from '../flight/flight-record.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { OutcomeTags, PrefetchOutcomeTag, StatusText } from './flight-tags.tsx';
import { nameFlight } from './name-flight.ts';

/** In the words that are used everywhere: see src/flights/flight/flight-sizes.ts. */
const sizes = [
  { field: 'flight', name: 'Flight', title: 'The Flight rows, before compression' },
  { field: 'response', name: 'response', title: 'The body with the HTML around the rows, before compression' },
  { field: 'transferred', name: 'transferred', title: 'The body as it was sent, compressed or not' },
] as const;

type FlightStripProps = {
  readonly flight: FlightSummary;
  readonly now: number;
};

/** What a flight is, in a line: the picture follows at once. The rest is in the details. */
export function FlightStrip({ flight, now }: FlightStripProps) {
  const first = flight.firstByteMs === undefined ? undefined : formatDuration(flight.firstByteMs);
  return (
    <div className="flight-strip">
      <Link to={flightsPath} prefetch="intent" aria-label="All flights">
        Flights
      </Link>
      <KindBadge kind={flight.kind} />
      <h1 className="code">{nameFlight(flight)}</h1>
      <span className="flex flex-wrap gap-x-2">
        <StatusText status={flight.status} />
        <PrefetchOutcomeTag flight={flight} />
        <OutcomeTags flight={flight} />
      </span>
      <Moment time={flight.startedAt} now={now} isDense />
      <span title={first === undefined ? 'When its first byte came is not known' : undefined}>
        {formatDuration(flight.durationMs)} <span className="text-quiet">first byte</span> {first ?? '–'}
      </span>
      {sizes.map(({ field, name, title }) => {
        const size = flight.sizes[field];
        return (
          <span key={field} title={size === undefined ? `${title}: not known of this flight` : title}>
            <span className="text-quiet">{name}</span> {size === undefined ? '–' : formatBytes(size)}
          </span>
        );
      })}
    </div>
  );
}
