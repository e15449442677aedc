import 'server-only';

import type { FlightSummary } from '../flight/flight-record.ts';
import { subscribeFlights } from '../recorder/follow-flights.ts';
import { findFlightOfRequest } from './queries.ts';

/** A flight is written when its response is over, within a second. A person who followed a link waits no longer than this. */
const longestMs = 3_000;

/** Resolves at the next flights that are written, when the time is over, or when nobody waits any more. */
function waitForFlights(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = subscribeFlights(finish);
    function finish(): void {
      stop();
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}

/**
 * The flight of a request, which may have been answered a moment ago; undefined when it does not come.
 * @param signal of the request that asks
 */
export async function waitForFlight(requestId: string, signal: AbortSignal): Promise<FlightSummary | undefined> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
  for (;;) {
    // The listener is there before the question: what is written between the two would be missed.
    const arrived = waitForFlights(over);
    const flight = await findFlightOfRequest(requestId);
    if (flight || over.aborted) return flight;
    await arrived;
  }
}
