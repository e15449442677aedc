import 'server-only';

import type { FlightSummary } from '../flight/flight-record.ts';
import { type ErrorTraits, findFlightsOfError } from '#src/flights/for-operator/queries.ts';

/**
 * An error that was read from an app's output alone has no path and no kind. The flight that carried its digest has both; of several
 * that one which began nearest to the error's time. Undefined where the error says its path, or no flight with its digest is recorded.
 */
export async function findCarrier(error: ErrorTraits & { readonly path: string }): Promise<FlightSummary | undefined> {
  const { digest, path } = error;
  if (path !== '' || digest === null) return undefined;
  return (await findFlightsOfError(error)).find(({ digests }) => digests.includes(digest));
}
