import { flightPath } from '#src/server/http/addresses.ts';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Panel } from '#viewer/panel.tsx';
import type { FlightSummary } from '../flight/flight-record.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { nameFlight } from './name-flight.ts';
import { visitPath } from './visit-path.ts';

function Neighbour({ flight, text }: { flight: FlightSummary | undefined; text: string }) {
  if (!flight) return null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span className="w-20 text-quiet">{text}</span>
      <KindBadge kind={flight.kind} />
      <Link to={flightPath(flight.id)} prefetch="intent" className="code">
        {nameFlight(flight)}
      </Link>
    </p>
  );
}

/** What the same browser tab did before and after this flight. */
export function FlightNeighbours({ flight, visit }: { flight: FlightSummary; visit: readonly FlightSummary[] }) {
  if (flight.lastAt !== undefined) {
    return (
      <Panel title="Visit" word="visit">
        <p className="text-sm text-quiet">
          These hits were too many to be recorded one by one. It is not known to which visits they belong.
        </p>
      </Panel>
    );
  }
  const at = visit.findIndex(({ id }) => id === flight.id);
  return (
    <Panel
      title="Visit"
      aside={
        <Link to={visitPath(flight)} prefetch="intent" className="text-sm">
          {visit.length === 1 ? 'Its only flight' : `All ${visit.length} flights`}
        </Link>
      }
    >
      <div className="stack-1 text-sm">
        <Neighbour flight={visit[at - 1]} text="Before" />
        <Neighbour flight={visit[at + 1]} text="After" />
        {visit.length === 1 ? <p className="text-quiet">Nothing else of this browser tab was recorded.</p> : null}
      </div>
    </Panel>
  );
}
