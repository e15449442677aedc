import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { ServerTime } from '#flight';

import { decodeStored } from '../flight/stored-flight.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { arrangeSpans } from '../traces/arrange-spans.ts';
import { unpackSpans } from '../traces/pack-spans.ts';
import type { Span } from '../traces/span.ts';
import { readForOperator } from './read-for-operator.ts';

/** A page of Next.js has twenty. More would hold up other pages while they are read, and no page shows them. */
const spansRead = 5_000;
/** As they are stored. An app may have told 30 MiB of one trace, and hundreds are asked for at once. */
const bytesRead = 4 * 1024 * 1024;

export type Traced = {
  readonly requestId: string;
  readonly traceId: string;
  readonly startedAt: number;
  readonly durationMs: number;
};

/** The first of them of which all is read, as long as there is room: one that is too large is left out. */
function chooseTraces(traceIds: readonly string[], bytes: ReadonlyMap<string, number>): readonly string[] {
  let left = bytesRead;
  return traceIds.filter((id) => {
    const size = bytes.get(id) ?? 0;
    if (size === 0 || size > left) return false;
    left -= size;
    return true;
  });
}

/**
 * The spans of an app's traces, by trace: with the newest that were asked for first, as many as are read at once. A trace of which
 * nothing was told has no entry.
 */
async function readSpans(
  db: Kysely<FlightTables>,
  app: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Span[]>> {
  const sizes = await db
    .selectFrom('span')
    .select(['trace_id', sql<number>`sum(length(data))`.as('bytes')])
    .where('app', '=', app)
    .where('trace_id', 'in', traceIds)
    .groupBy('trace_id')
    .execute();
  const chosen = chooseTraces(traceIds, new Map(sizes.map((row) => [row.trace_id, Number(row.bytes)])));
  if (chosen.length === 0) return new Map();
  const rows = await db
    .selectFrom('span')
    .select(['trace_id', 'encoding', 'data'])
    .where('app', '=', app)
    .where('trace_id', 'in', chosen)
    .orderBy('received_at')
    .execute();
  const byTrace = Map.groupBy(rows, (row) => row.trace_id);
  const spans = new Map<string, readonly Span[]>();
  let left = spansRead;
  for (const traceId of traceIds) {
    const ofTrace: Span[] = [];
    for (const row of byTrace.get(traceId) ?? []) {
      if (ofTrace.length >= left) break;
      ofTrace.push(...unpackSpans(traceId, new TextDecoder().decode(decodeStored(row))));
    }
    if (ofTrace.length > 0) spans.set(traceId, ofTrace.slice(0, left));
    left -= ofTrace.length;
    if (left <= 0) break;
  }
  return spans;
}

/** What the app's timed code told is under the request's own id, what OpenTelemetry told under the trace's. */
function listTraceIds({ requestId, traceId }: Traced): string[] {
  return traceId === '' ? [requestId] : [requestId, traceId];
}

/** What an app's server did for each of its flights; undefined where it told nothing of that. */
export async function readServerTimes(
  db: Kysely<FlightTables>,
  app: string,
  flights: readonly Traced[],
): Promise<(ServerTime | undefined)[]> {
  const spans = await readSpans(db, app, [...new Set(flights.flatMap(listTraceIds))]);
  return flights.map((flight) =>
    arrangeSpans(
      listTraceIds(flight).flatMap((id) => spans.get(id) ?? []),
      flight,
    ),
  );
}

/** The same of one flight. */
export function readServerTime(flight: Traced & { readonly app: string }): Promise<ServerTime | undefined> {
  return readForOperator<ServerTime | undefined>(undefined, async (db) => {
    const [time] = await readServerTimes(db, flight.app, [flight]);
    return time;
  });
}
