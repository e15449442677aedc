import { type QueryExecutorProvider, sql } from 'kysely';

import type { Engine } from '#src/store/engine-of.ts';
import { movingTable } from '#src/store/postgres/migrate.ts';

import { isValue, type Value } from './canonical-row.ts';

/**
 * How far a move has come, in the database that is written: each batch is there together with its place. The table is there from the
 * first batch until everything was compared, and no server starts on a database that has it.
 */

export type Progress = { readonly key: readonly Value[] | undefined; readonly rows: number };

/** Its row says where the rows come from. */
const sourceRow = '';

/** Whether a move into this database was begun and not finished. */
export async function hasProgress(db: QueryExecutorProvider, engine: Engine): Promise<boolean> {
  const { rows } = await (
    engine === 'sqlite'
      ? sql`select 1 from sqlite_schema where type = 'table' and name = ${movingTable}`
      : sql`select 1 where to_regclass(${movingTable}) is not null`
  ).execute(db);
  return rows.length > 0;
}

export async function beginProgress(db: QueryExecutorProvider, source: string): Promise<void> {
  await sql`create table ${sql.table(movingTable)} (name text not null primary key, key_json text not null, rows bigint not null)`.execute(
    db,
  );
  await writeProgress(db, sourceRow, [source], 0);
}

/** @returns where the rows come from */
export async function readSource(db: QueryExecutorProvider): Promise<string> {
  const source = (await readProgress(db, sourceRow)).key?.[0];
  return typeof source === 'string' ? source : 'unknown';
}

export async function readProgress(db: QueryExecutorProvider, table: string): Promise<Progress> {
  const { rows } = await sql<{ key_json: string; rows: number }>`
    select key_json, rows from ${sql.table(movingTable)} where name = ${table}`.execute(db);
  const [row] = rows;
  if (!row) return { key: undefined, rows: 0 };
  const key: unknown = JSON.parse(row.key_json);
  if (!Array.isArray(key) || !key.every(isValue)) throw new Error(`The table ${movingTable} was changed`);
  return { key, rows: row.rows };
}

export async function writeProgress(
  db: QueryExecutorProvider,
  table: string,
  key: readonly Value[],
  rows: number,
): Promise<void> {
  await sql`insert into ${sql.table(movingTable)} (name, key_json, rows) values (${table}, ${JSON.stringify(key)}, ${rows})
    on conflict (name) do update set key_json = excluded.key_json, rows = excluded.rows`.execute(db);
}

export async function endProgress(db: QueryExecutorProvider): Promise<void> {
  await sql`drop table if exists ${sql.table(movingTable)}`.execute(db);
}
