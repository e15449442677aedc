import 'server-only';

import type { FlightSummary } from '../flight/flight-record.ts';
import { type ErrorTraits, findFlightsOfError, wasUnderWay } from '#src/flights/for-operator/queries.ts';

/** So near to each other, flights of two pages may have carried it: the error is a moment before the answer ends. */
const nearMs = 2_000;

export type Carrier = {
  readonly flight: FlightSummary;
  /** How many pages it may have been: with one alone it is no guess. */
  readonly pages: number;
};

/**
 * An error that was read from an app's output alone has no path and no kind. The flight that carried its digest has both; of several
 * that one which began nearest to the error's time. Undefined where the error says its path, or no flight with its digest was under way
 * then: a page that is made anew in the background fails without one.
 */
export async function findCarrier(error: ErrorTraits & { readonly path: string }): Promise<Carrier | undefined> {
  const { digest, path, time } = error;
  if (path !== '' || digest === null) return undefined;
  const { flights } = await findFlightsOfError(error);
  const carriers = flights.filter((flight) => flight.digests.includes(digest) && wasUnderWay(flight, time));
  const [flight] = carriers;
  if (!flight) return undefined;
  const near = carriers.filter(({ startedAt }) => Math.abs(startedAt - flight.startedAt) <= nearMs);
  return { flight, pages: new Set(near.map((one) => one.path)).size };
}
