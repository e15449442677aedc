import 'server-only';

import { ownApp } from '#src/store/own-app.ts';

import type { FlightSummary } from '../flight/flight-record.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import { countChunks } from './count-chunks.ts';
import { stretch } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/** One save of an experiment in development: its renderings, in the order in which they were made. */
export type RecordedSave = { readonly traceId: string; readonly flights: readonly FlightSummary[] };

/** Renderings that are read for one save; src/lab/saves makes fewer. */
const flightsOfOne = 10;

/** The last saves of the experiment with this page, the oldest first. Each has a trace of its own. */
export async function listSaves(path: string, limit: number): Promise<readonly RecordedSave[]> {
  return readForOperator([], async (db) => {
    const newest = await readNewestId(db);
    const rows = await db
      .selectFrom('flight')
      .select([...listedColumns, countChunks(db)])
      .where('id', '>', newest - stretch)
      .where('path', '=', path)
      .where('prefetch_trigger', '=', 'save')
      .where('app', '=', ownApp)
      .orderBy('id', 'desc')
      .limit(limit * flightsOfOne)
      .execute();
    const now = Date.now();
    const saves = new Map<string, FlightSummary[]>();
    for (const row of rows) {
      const flight = toSummary(row, now);
      const known = saves.get(flight.traceId);
      if (known) known.unshift(flight);
      else if (saves.size < limit) saves.set(flight.traceId, [flight]);
    }
    return [...saves].map(([traceId, flights]) => ({ traceId, flights })).toReversed();
  });
}
