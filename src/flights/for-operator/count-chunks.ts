import 'server-only';

import { type Kysely, sql } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';

import type { FlightTables } from '../flight/stored-tables.ts';

/** The text is the recorder's own, so PostgreSQL can read it as JSON. */
export function countChunks(db: Kysely<FlightTables>) {
  return dialectOf(db).countItems(sql.ref('chunks_json')).as('chunks');
}
