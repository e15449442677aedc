import 'server-only';

import type { Kysely } from 'kysely';

import type { FlightTables } from '../flight/stored-tables.ts';
import { hasIndex, ofApp } from '../recorder/of-app.ts';

/**
 * About the first id of an app's flights that began at this time or later, found by halving: flights get their ids in the order in
 * which they end. What other apps say of the time of theirs counts only for our own.
 */
export async function findIdAt(db: Kysely<FlightTables>, app: string, time: number): Promise<number> {
  const flights = db.selectFrom('flight').$if(hasIndex(app), (all) => all.where(ofApp(app)));
  const ends = await flights
    .select(({ fn }) => [fn.min<number | null>('id').as('first'), fn.max<number | null>('id').as('last')])
    .executeTakeFirstOrThrow();
  let [low, high] = [ends.first ?? 0, (ends.last ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await flights
      .select(['id', 'started_at as startedAt'])
      .where('id', '>=', middle)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (next && next.startedAt < time) low = next.id + 1;
    else high = middle;
  }
  return low;
}
