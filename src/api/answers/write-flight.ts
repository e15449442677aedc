import { flightPath, readApiAddress } from '#src/server/http/addresses.ts';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';

import type { FlightItem } from '../schemas/flights.ts';
import { toTime } from '../schemas/values.ts';

/** Where a flight is in the API. */
export function flightSelf(id: number): string {
  return readApiAddress('flights', String(id));
}

/** What every answer says of a flight. */
export function writeFlight(flight: FlightSummary, origin: string): FlightItem {
  const { sizes } = flight;
  return {
    id: flight.id,
    app: flight.app,
    kind: flight.kind,
    method: flight.method,
    path: flight.path,
    query: [...flight.query],
    route: flight.route,
    status: flight.status,
    rendering: flight.rendering,
    content: flight.content,
    outcome: flight.outcome,
    source: flight.source,
    framework: flight.framework ?? null,
    build: flight.build,
    tabBuild: flight.tabBuild ?? null,
    startedAt: toTime(flight.startedAt),
    firstByteMs: flight.firstByteMs ?? null,
    durationMs: flight.durationMs,
    sizes: {
      flight: sizes.flight ?? null,
      response: sizes.response ?? null,
      transferred: sizes.transferred ?? null,
    },
    isCut: flight.isCut,
    writes: flight.writes,
    hits: flight.hits,
    digests: [...flight.digests],
    requestId: flight.requestId,
    traceId: flight.traceId,
    visit: flight.visit ?? null,
    fromPath: flight.fromPath ?? null,
    trigger: flight.trigger ?? null,
    link: flight.linkText === undefined ? null : { text: flight.linkText, place: flight.linkPlace ?? '' },
    actionId: flight.actionId ?? null,
    prefetchOutcome: flight.prefetchOutcome ?? null,
    page: origin + flightPath(flight.id),
    self: flightSelf(flight.id),
  };
}
