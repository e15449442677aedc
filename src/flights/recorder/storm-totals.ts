import type { Kysely } from 'kysely';

import { openFlightsReader } from './flights-reader.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import type { StoredStorm } from '../flight/storm.ts';

/** How many tabs of an app ask for the same again and again, and the newest of them. */
export type StormTotal = {
  readonly app: string;
  readonly tabs: number;
  readonly requests: number;
  readonly newest: StoredStorm;
};

/** Of one app at most 301 (storm.ts). */
export async function listStormsIn(db: Kysely<FlightTables>, app: string | undefined): Promise<StoredStorm[]> {
  const all = db.selectFrom('storm').selectAll().orderBy('last_at', 'desc').orderBy('tab');
  const rows = await (app === undefined ? all : all.where('app', '=', app)).execute();
  return rows.map((row) => ({
    ...row,
    requests: Number(row.requests),
    sized: Number(row.sized),
    bytes: Number(row.bytes),
    prefetches: Number(row.prefetches),
    prefetch_bytes: Number(row.prefetch_bytes),
    unsure: Number(row.unsure),
    peak: Number(row.peak),
    first_at: Number(row.first_at),
    last_at: Number(row.last_at),
  }));
}

/** None while nothing was ever recorded. */
export async function countStorms(): Promise<StormTotal[]> {
  const db = await openFlightsReader();
  if (!db) return [];
  const byApp = Map.groupBy(await listStormsIn(db, undefined), ({ app }) => app);
  return [...byApp].flatMap(([app, storms]) => {
    const requests = storms.reduce((sum, storm) => sum + storm.requests, 0);
    return storms[0] ? [{ app, tabs: storms.length, requests, newest: storms[0] }] : [];
  });
}
