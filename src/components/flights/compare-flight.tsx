import { formatBytes } from '#flight';
import { flightDiffPath } from '#src/http/addresses.ts';
import { KindBadge } from '#src/components/kind-badge.tsx';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import type { FlightSummary } from '#src/recorder/flight-record.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

type CompareFlightProps = {
  readonly flight: FlightSummary;
  /** Earlier flights of the same route, newest first. */
  readonly earlier: readonly FlightSummary[];
  readonly now: number;
};

/** Links to what changed since an earlier flight of the same route. */
export function CompareFlight({ flight, earlier, now }: CompareFlightProps) {
  const others = earlier.filter(({ content }) => content !== 'none');
  if (flight.content === 'none' || others.length === 0) return null;
  return (
    <Panel title="Compare with an earlier one">
      <ul className="stack-1 list-none p-0 text-sm">
        {others.map((other) => (
          <li key={other.id} className="flex flex-wrap items-baseline gap-x-2">
            <KindBadge kind={other.kind} />
            <Link to={flightDiffPath(flight.id, other.id)} prefetch="intent">
              flight {other.id}
            </Link>
            <span className="text-quiet">
              {formatBytes(other.bytes)}, <Moment time={other.startedAt} now={now} isDense />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
