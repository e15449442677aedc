import 'server-only';

import type { Kysely } from 'kysely';

import type { FlightTables } from '../flight/stored-tables.ts';

/** Below it nobody waits. Counting 300,000 flights on PostgreSQL takes about as long. */
const slowMs = 200;
/** So at most a twentieth of the time is spent on counting, however often the page is asked for. */
const times = 20;

type Counted<T> = { readonly count: T; readonly until: number };

/**
 * A count of all flights takes longer the more there are, and a page that shows it says how many, not which. What took more than
 * 200 ms is therefore good for twenty times as long as it took.
 */
export function rememberSlowCount<T>(
  count: (db: Kysely<FlightTables>) => Promise<T>,
): (db: Kysely<FlightTables>) => Promise<T> {
  const known = new WeakMap<Kysely<FlightTables>, Counted<T>>();
  return async function countOrRemember(db) {
    const began = performance.now();
    const last = known.get(db);
    if (last && began < last.until) return last.count;
    const counted = await count(db);
    const now = performance.now();
    const tookMs = now - began;
    if (tookMs > slowMs) known.set(db, { count: counted, until: now + times * tookMs });
    return counted;
  };
}
