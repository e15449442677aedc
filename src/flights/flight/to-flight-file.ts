import type { FlightFile, ServerTime } from '#flight';
import type { RecordedFlight } from './flight-record.ts';

import { parseCaching } from './parse-caching.ts';
import { listPayloadChunks } from './read-payload.ts';

/** Where a part that was left out came from is not in a file. */
export type FlightToWrite = Omit<RecordedFlight, 'elided'> & {
  readonly elided: readonly { readonly element: string }[];
};

/**
 * What was kept of a flight, in the format of docs/flight-file.md.
 * @param serverTime where its app told it
 */
export function toFlightFile(flight: FlightToWrite, serverTime?: ServerTime): FlightFile {
  return {
    facts: {
      requestId: flight.requestId,
      traceId: flight.traceId,
      visit: flight.visit ?? null,
      kind: flight.kind,
      method: flight.method,
      path: flight.path,
      query: flight.query,
      route: flight.route,
      build: flight.build,
      status: flight.status,
      rendering: flight.rendering,
      outcome: flight.outcome,
      startedAt: new Date(flight.startedAt).toISOString(),
      firstByteMs: flight.firstByteMs ?? null,
      durationMs: flight.durationMs,
      bytes: flight.bytes,
      digests: flight.digests,
      action: flight.actionId ?? null,
      hits: flight.hits,
      lastAt: flight.lastAt === undefined ? null : new Date(flight.lastAt).toISOString(),
      app: flight.app,
      framework: flight.framework ?? null,
      sizes: {
        flight: flight.sizes.flight ?? null,
        response: flight.sizes.response ?? null,
        transferred: flight.sizes.transferred ?? null,
      },
      sentBytes: flight.sentBytes ?? null,
      decodedBytes: flight.decodedBytes ?? null,
      codec: flight.codec ?? null,
      fromPath: flight.fromPath ?? null,
      trigger: flight.trigger ?? null,
      tabBuild: flight.tabBuild ?? null,
      caching: parseCaching(flight.caching) ?? null,
    },
    content: flight.content,
    chunks: listPayloadChunks(flight).map(({ ms, bytes }) => [ms, bytes]),
    body: flight.body,
    debug: flight.debug ?? null,
    elements: flight.elements,
    elided: flight.elided.map(({ element }) => element),
    arguments: flight.args
      ? { contentType: flight.args.contentType, bytes: flight.args.bytes, body: flight.args.kept }
      : null,
    serverTime: serverTime ?? null,
  };
}
