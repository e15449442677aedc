import type { ReactNode } from 'react';

import { flightExportPath } from '#src/http/addresses.ts';
import type { FlightSummary } from '#src/recorder/flight-record.ts';

import { DeleteFlightForm } from './delete-flight-form.tsx';

type FlightDetailsProps = {
  readonly flight: FlightSummary;
  /** How many flights its visit has. */
  readonly visit: number;
  /** How many earlier ones of its route can be compared. */
  readonly earlier: number;
  readonly children: ReactNode;
};

function countThings(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

/** All that is known besides the payload, out of the picture's way. A fold of the browser's: it opens without JavaScript. */
export function FlightDetails({ flight, visit, earlier, children }: FlightDetailsProps) {
  const words = [
    ...countThings(visit, 'flight in its visit', 'flights in its visit'),
    ...countThings(earlier, 'earlier response', 'earlier responses'),
    'export',
    'delete',
  ];
  return (
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
  );
}
