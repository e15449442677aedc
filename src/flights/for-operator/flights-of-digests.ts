import 'server-only';

import { sql } from 'kysely';

import type { FlightSummary } from '../flight/flight-record.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import { countChunks } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/** As many as a page lists beside other things. */
const flightsListed = 10;

/** The newest flights of an app that carried one of these digests. */
export async function listFlightsOfDigests(app: string, digests: readonly string[]): Promise<readonly FlightSummary[]> {
  return readForOperator([], async (db) => {
    if (digests.length === 0) return [];
    const rows = await db
      .selectFrom('flight')
      .select([...listedColumns, countChunks(db)])
      .where('id', 'in', db.selectFrom('flight_digest').select('flight_id').where('digest', 'in', digests))
      // A function of the column: the digests find the few rows.
      .where(sql<boolean>`coalesce(app, '') = ${app}`)
      // Not the column itself: for the newest ten PostgreSQL would go through all flights, back from the newest, until it has ten.
      .orderBy(sql`id + 0`, 'desc')
      .limit(flightsListed)
      .execute();
    const now = Date.now();
    return rows.map((row) => toSummary(row, now));
  });
}
