import { type Kysely, sql } from 'kysely';

import { keptTriggers } from './kept-tables.ts';
import { pastTriggers } from './past-digests.ts';
import type { Tables } from './schema.ts';
import { searchStatements } from './search-tables.ts';
import { indexes, type Table, tables, writeIndex } from './tables.ts';

/** SQLite's tables, all at once. PostgreSQL's: postgres/create-schema.ts. */

/** Between servers on one PostgreSQL: a server that has its database for itself leaves it empty. */
const notification = `create table notification (id integer primary key, topic text not null, sender text not null, hint text not null,
  time bigint not null, xact bigint not null default 0)`;

function writeTable({ name, columns, found }: Table): string {
  const id = found === 'id' ? 'id integer primary key, ' : '';
  return `create table ${name} (${id}${columns})${found === 'key' ? ' without rowid' : ''}`;
}

export async function createSchema(db: Kysely<Tables>): Promise<void> {
  for (const statement of [
    ...tables.map(writeTable),
    notification,
    ...indexes.map(writeIndex),
    ...searchStatements,
    ...keptTriggers,
    ...pastTriggers,
  ]) {
    await sql.raw(statement).execute(db);
  }
}
