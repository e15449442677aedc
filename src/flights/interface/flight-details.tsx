import type { ReactNode } from 'react';

import { countOf } from '#flight';
import { flightDiffPath, flightExportPath, flightOneFilePath } from '#src/server/http/addresses.ts';
import type { FlightSummary } from '../flight/flight-record.ts';
import type { EarlierFlight, EarlierFlights } from '#src/flights/for-operator/earlier-flights.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { describeChange } from './compare-flight.tsx';
import { removeFlight } from '#src/flights/actions/remove-flight.ts';

type FlightDetailsProps = {
  readonly flight: FlightSummary;
  /** How many flights its visit has. */
  readonly visit: number;
  readonly earlier: EarlierFlights;
  /** There is something that a viewer can show. */
  readonly hasPayload: boolean;
  readonly children: ReactNode;
};

function SinceLink({ flight, earlier, when }: { flight: FlightSummary; earlier: EarlierFlight; when: string }) {
  return (
    <Link to={flightDiffPath(flight.id, earlier.flight.id)} prefetch="intent">
      {describeChange(flight, earlier)} {when}
    </Link>
  );
}

/** Their answers are parts of a page, or of other functions: a difference says nothing of a change. */
const asksForPart: ReadonlySet<FlightSummary['kind']> = new Set(['prefetch', 'action', 'slice', 'other']);

/** What changed since the last response of the route, and since one of a day before. */
function Since({ flight, earlier: { alike, dayBefore } }: { flight: FlightSummary; earlier: EarlierFlights }) {
  const [last] = alike;
  if ((!last && !dayBefore) || asksForPart.has(flight.kind)) return null;
  return (
    <span className="flight-compare">
      {last ? <SinceLink flight={flight} earlier={last} when="since the route’s last response" /> : null}
      {dayBefore ? <SinceLink flight={flight} earlier={dayBefore} when="since one of the day before" /> : null}
    </span>
  );
}

/** Behind a fold, so that deleting takes two clicks, with and without JavaScript. */
function DeleteFlightForm({ id }: { id: number }) {
  return (
    <details>
      <summary>Delete</summary>
      <form action={removeFlight} className="stack-2 pt-2">
        <input type="hidden" name="id" value={id} />
        <p>Its payload, times and arguments are deleted, from the disk too. Its errors stay.</p>
        <button type="submit">Delete this flight</button>
      </form>
    </details>
  );
}

/**
 * The nearest comparisons, and a fold with all that is known besides the payload. The fold is the browser's own, so that it opens
 * without JavaScript.
 */
export function FlightDetails({ flight, visit, earlier, hasPayload, children }: FlightDetailsProps) {
  const { alike, isMore } = earlier;
  const words = [
    ...(visit === 0 ? [] : [countOf(visit, 'flight kept of its visit', 'flights kept of its visit')]),
    ...(alike.length === 0 ? [] : [`${isMore ? 'at least ' : ''}${countOf(alike.length, 'earlier response')} kept`]),
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
            {hasPayload ? (
              <a href={flightOneFilePath(flight.id)} download={`flight-${flight.id}.html`}>
                Save as one file with its viewer
              </a>
            ) : null}
            <DeleteFlightForm id={flight.id} />
          </div>
        </div>
      </details>
    </>
  );
}
