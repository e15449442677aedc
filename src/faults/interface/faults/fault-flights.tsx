import { KindBadge } from '#src/ui/kind-badge.tsx';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { flightPath } from '#src/server/http/addresses.ts';
import { listFlightsOfDigests } from '#src/flights/for-operator/flights-of-digests.ts';
import { chooseCarriers } from '#src/faults/digests/choose-carriers.ts';
import { listHolders, listKeptDigests } from '#src/faults/grouping/kept-errors.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

const shown = 10;

/** Flights that carried one of the digests of its kept errors. Nothing where none of them is recorded. */
export async function FaultFlights({
  fault,
  now,
}: {
  fault: { readonly id: string; readonly app: string };
  now: number;
}) {
  const digests = await listKeptDigests(fault.id);
  const [carriers, holders] = await Promise.all([
    listFlightsOfDigests(fault.app, digests),
    listHolders(fault.app, digests),
  ]);
  const flights = chooseCarriers(fault.id, carriers, holders).slice(0, shown);
  if (flights.length === 0) return null;
  return (
    <Panel title="Flights that carried it">
      <ul className="stack-1 list-none text-sm">
        {flights.map((flight) => (
          <li key={flight.id} className="flex flex-wrap items-baseline gap-x-3">
            <KindBadge kind={flight.kind} />
            <Link to={flightPath(flight.id)} prefetch="intent" className="code min-w-0">
              {nameFlight(flight)}
            </Link>
            <Moment time={flight.startedAt} now={now} isDense />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
