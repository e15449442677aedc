import { type Kysely, type RawBuilder, sql } from 'kysely';

import { engineOf } from './engine-of.ts';
import { databaseTime } from './postgres/create-sharing-tables.ts';
import type { Tables } from './schema.ts';

/**
 * Milliseconds since 1970, by the clock of the machine that has the database: of several machines' clocks, one counts. All workers on a
 * file are on one machine.
 */
export function timeOfDatabase(db: Kysely<Tables>): RawBuilder<number> {
  return engineOf(db) === 'postgres' ? databaseTime : sql<number>`${Date.now()}`;
}
