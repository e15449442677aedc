import type { Kysely } from 'kysely';

import { cacheRules, isHarmful, type CacheRule } from '#flight';

import { openFlightsReader } from './flights-reader.ts';
import type { StoredLeak } from '../flight/leak.ts';
import type { FlightTables } from '../flight/stored-tables.ts';

/** What of an app somebody should be told, and the newest of it. */
export type LeakTotal = {
  readonly app: string;
  readonly what: 'secrets' | 'caches';
  readonly places: number;
  readonly newest: StoredLeak;
};

/** Undefined: of a secret. */
export function findCacheRule({ rule }: Pick<StoredLeak, 'rule'>): CacheRule | undefined {
  return cacheRules.find((known) => known === rule);
}

/** Of one app at most 301 (leak.ts). */
export async function listLeaksIn(db: Kysely<FlightTables>, app: string | undefined): Promise<StoredLeak[]> {
  const all = db.selectFrom('leak').selectAll().orderBy('first_at', 'desc').orderBy('name');
  const rows = await (app === undefined ? all : all.where('app', '=', app)).execute();
  return rows.map((row) => ({
    ...row,
    count: Number(row.count),
    first_at: Number(row.first_at),
    last_at: Number(row.last_at),
  }));
}

/** None while nothing was ever recorded. */
export async function readLeaks(): Promise<StoredLeak[]> {
  const db = await openFlightsReader();
  return db ? listLeaksIn(db, undefined) : [];
}

/** Without what only wants a look at a setting. */
export async function countLeaks(): Promise<LeakTotal[]> {
  const leaks = (await readLeaks()).flatMap((leak) => {
    const rule = findCacheRule(leak);
    if (rule && !isHarmful(rule)) return [];
    return { leak, what: rule ? ('caches' as const) : ('secrets' as const) };
  });
  const groups = Map.groupBy(leaks, ({ what, leak }) => `${what}:${leak.app}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    return first ? [{ app: first.leak.app, what: first.what, places: others.length + 1, newest: first.leak }] : [];
  });
}
