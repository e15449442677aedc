import { type QueryExecutorProvider, sql } from 'kysely';

import type { Engine } from '#src/store/dialect.ts';

import { type Row, sizeOf, toRow, type Value } from './canonical-row.ts';
import { keyOf, type MovedTable } from './moved-table.ts';

/** Reads a table by its key, in batches that fit into memory whatever the rows hold. */

const batchBytes = 4 * 1024 * 1024;
const batchRows = 1_000;
/** A body may take 4 MiB: the first batches are small, and each follows what the rows before it took. */
const firstRows = 8;

/** The columns that a row of it has: those of the table in SQLite's order, with its number. */
export async function readColumns(
  db: QueryExecutorProvider,
  engine: Engine,
  { name, columns, hasRowid }: MovedTable,
): Promise<readonly string[]> {
  if (columns) return columns.toSorted();
  const { rows } = await (
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_info(${name})`
      : sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${name}`
  ).execute(db);
  const found = rows.map((row) => row.name).filter((column) => column !== 'rowid');
  if (found.length === 0) throw new Error(`There is no table ${name}`);
  return [...found, ...(hasRowid ? ['rowid'] : [])].toSorted();
}

function selectRows(
  table: MovedTable,
  engine: Engine,
  columns: readonly string[],
  after: readonly Value[] | undefined,
  limit: number,
) {
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  const from = table.select
    ? sql`select * from (${table.select(engine)}) as moved`
    : sql`select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table.name)}`;
  const behind = after ? sql`where (${key}) > (${sql.join(after.map((value) => sql`${value}`))})` : sql``;
  return sql`${from} ${behind} order by ${key} limit ${sql.lit(limit)}`;
}

export async function* readTable(
  db: QueryExecutorProvider,
  engine: Engine,
  table: MovedTable,
): AsyncGenerator<readonly Row[], void> {
  const columns = await readColumns(db, engine, table);
  let key: readonly Value[] | undefined;
  for (let limit = firstRows; ;) {
    const found = await selectRows(table, engine, columns, key, limit).execute(db);
    const rows = found.rows.map(toRow);
    const last = rows.at(-1);
    if (!last) return;
    key = keyOf(table, last);
    yield rows;
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    const fitting = Math.floor((batchBytes / Math.max(1, bytes)) * rows.length);
    // Not more than twice as many: larger rows may follow small ones.
    limit = Math.min(batchRows, Math.max(1, Math.min(fitting, 2 * limit)));
  }
}
