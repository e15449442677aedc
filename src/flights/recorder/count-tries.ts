import type { Kysely } from 'kysely';

import { openFlightsReader } from './flights-reader.ts';
import type { FlightTables } from '../flight/stored-tables.ts';

/** How often something was tried, as long as it is kept. */
export type TryTotal = {
  readonly app: string;
  readonly rule: string;
  readonly advisory: string;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
};

export async function countTriesIn(db: Kysely<FlightTables>): Promise<TryTotal[]> {
  const rows = await db
    .selectFrom('forged')
    .select(['app', 'rule', 'advisory'])
    .select(({ fn }) => [fn.sum<number>('count').as('count'), fn.max<number>('last_at').as('lastAt')])
    .groupBy(['app', 'rule', 'advisory'])
    .orderBy('app')
    .orderBy('rule')
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count), lastAt: Number(row.lastAt) }));
}

/** None while nothing was ever recorded. */
export async function countTries(): Promise<TryTotal[]> {
  const db = await openFlightsReader();
  return db ? countTriesIn(db) : [];
}
