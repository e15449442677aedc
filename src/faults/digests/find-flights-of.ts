import 'server-only';

import { findFlightsByDigest, findFlightsOfError, type FlightsOfError } from '#src/flights/for-operator/queries.ts';
import { ownApp } from '#src/store/own-app.ts';

import type { ErrorDetails } from '../kept/error-details.ts';

/**
 * The flights of an error. Ours by the digest, which one request has. Those of another app by the ids that it names, since its digest may
 * be in no row, or in those of many requests; of what browsers alone told, by when they told it.
 */
export async function findFlightsOf({
  app,
  digest,
  server,
  browser,
}: Pick<ErrorDetails, 'app' | 'digest' | 'server' | 'browser'>): Promise<FlightsOfError> {
  if (app === ownApp) {
    return { foundBy: 'request', flights: digest === null ? [] : await findFlightsByDigest(digest, app) };
  }
  if (server) return findFlightsOfError({ ...server, digest });
  const [told] = browser;
  return findFlightsOfError({ app, digest, requestId: '', traceId: told?.traceId ?? '', time: told?.time ?? 0 });
}
