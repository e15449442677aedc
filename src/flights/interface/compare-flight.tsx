import { formatBytes, formatBytesChange } from '#flight';
import { flightDiffPath } from '#src/server/http/addresses.ts';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import type { FlightSummary } from '../flight/flight-record.ts';
import type { EarlierFlight, EarlierFlights } from '#src/flights/for-operator/earlier-flights.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

type CompareFlightProps = { readonly flight: FlightSummary; readonly earlier: EarlierFlights; readonly now: number };

/** How much larger the shown flight is than an earlier one; of a page that is HTML nothing says how much Flight it holds. */
export function describeChange(flight: FlightSummary, { flight: other, isSame }: EarlierFlight): string {
  if (isSame) return 'same';
  const size = flight.sizes.flight;
  const before = other.sizes.flight;
  if (size === undefined || before === undefined) return 'differs';
  return size === before ? 'changed, same size' : formatBytesChange(size - before);
}

type LineProps = Omit<CompareFlightProps, 'earlier'> & { readonly earlier: EarlierFlight; readonly note?: string };

function Line({ flight, earlier, now, note }: LineProps) {
  const { flight: other } = earlier;
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <KindBadge kind={other.kind} />
      <Link to={flightDiffPath(flight.id, other.id)} prefetch="intent">
        flight {other.id}
      </Link>
      <strong className="whitespace-nowrap">{describeChange(flight, earlier)}</strong>
      <span className="text-quiet">
        {other.sizes.flight === undefined ? null : `${formatBytes(other.sizes.flight)}, `}
        {other.status === flight.status ? null : `status ${other.status}, `}
        <Moment time={other.startedAt} now={now} isDense />
        {note === undefined ? null : `, ${note}`}
      </span>
    </li>
  );
}

/** Links to what changed since earlier flights of the same route: the same kind first, and one from a day before. */
export function CompareFlight({ flight, earlier: { alike, dayBefore, others }, now }: CompareFlightProps) {
  if (alike.length + others.length === 0 && !dayBefore) return null;
  return (
    <Panel title="Compare with an earlier one">
      <ul className="stack-1 list-none p-0 text-sm">
        {alike.map((each) => (
          <Line key={each.flight.id} flight={flight} earlier={each} now={now} />
        ))}
        {dayBefore ? <Line flight={flight} earlier={dayBefore} now={now} note="about a day before this one" /> : null}
        {others.map((each) => (
          <Line key={each.flight.id} flight={flight} earlier={each} now={now} note="of another kind" />
        ))}
      </ul>
      <p className="text-sm text-quiet">How much more Flight this one has than each of them.</p>
    </Panel>
  );
}
