import type { ReactNode } from 'react';

import { countOf } from '#flight';
import { flightDiffPath, flightExportPath } from '#src/http/addresses.ts';
import type { FlightSummary } from '#src/recorder/flight-record.ts';
import type { EarlierFlight, EarlierFlights } from '#src/recorder/for-operator/earlier-flights.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { describeChange } from './compare-flight.tsx';
import { DeleteFlightForm } from './delete-flight-form.tsx';

type FlightDetailsProps = {
  readonly flight: FlightSummary;
  /** How many flights its visit has. */
  readonly visit: number;
  readonly earlier: EarlierFlights;
  readonly children: ReactNode;
};

function SinceLink({ flight, earlier, when }: { flight: FlightSummary; earlier: EarlierFlight; when: string }) {
  return (
    <Link to={flightDiffPath(flight.id, earlier.flight.id)} prefetch="intent">
      {describeChange(flight, earlier)} {when}
    </Link>
  );
}

/** What changed since the last response of the route, and since one of a day before. */
function Since({ flight, earlier: { alike, dayBefore } }: { flight: FlightSummary; earlier: EarlierFlights }) {
  const [last] = alike;
  if (!last && !dayBefore) return null;
  return (
    <span className="flight-compare">
      {last ? <SinceLink flight={flight} earlier={last} when="since the last response" /> : null}
      {dayBefore ? <SinceLink flight={flight} earlier={dayBefore} when="since one of the day before" /> : null}
    </span>
  );
}

/**
 * The nearest comparisons, and a fold with all that is known besides the payload. The fold is the browser's own, so that it opens
 * without JavaScript.
 */
export function FlightDetails({ flight, visit, earlier, children }: FlightDetailsProps) {
  const { alike } = earlier;
  const words = [
    ...(visit === 0 ? [] : [countOf(visit, 'flight in its visit', 'flights in its visit')]),
    ...(alike.length === 0 ? [] : [countOf(alike.length, 'earlier response')]),
    'export',
    'delete',
  ];
  return (
    <>
      <Since flight={flight} earlier={earlier} />
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
