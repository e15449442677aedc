import type { ReactNode } from 'react';

import { flightDiffPath, flightExportPath } from '#src/http/addresses.ts';
import type { FlightSummary } from '#src/recorder/flight-record.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { DeleteFlightForm } from './delete-flight-form.tsx';

type FlightDetailsProps = {
  readonly flight: FlightSummary;
  /** How many flights its visit has. */
  readonly visit: number;
  /** Those before it of the same route that can be compared, newest first. */
  readonly earlier: readonly FlightSummary[];
  readonly children: ReactNode;
};

function countThings(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

/** The nearest comparison, and all else that is known besides the payload, out of the picture's way. A fold of the browser's: it opens without JavaScript. */
export function FlightDetails({ flight, visit, earlier, children }: FlightDetailsProps) {
  const words = [
    ...countThings(visit, 'flight in its visit', 'flights in its visit'),
    ...countThings(earlier.length, 'earlier response', 'earlier responses'),
    'export',
    'delete',
  ];
  const [last] = earlier;
  return (
    <>
      {last === undefined ? null : (
        <Link to={flightDiffPath(flight.id, last.id)} prefetch="intent" className="flight-compare">
          What changed since flight {last.id}
        </Link>
      )}
      <details className="flight-details">
        <summary>
          Details <span className="text-quiet">{words.join(' · ')}</span>
        </summary>
        <div className="stack-4 pt-3 pb-2">
          <div className="grid items-start gap-4 lg:grid-cols-2">{children}</div>
          <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm">
            <span className="text-quiet">flight {flight.id}</span>
            <a href={flightExportPath(flight.id)} download={`flight-${flight.id}.json`}>
              Export as a file
            </a>
            <DeleteFlightForm id={flight.id} />
          </div>
        </div>
      </details>
    </>
  );
}
