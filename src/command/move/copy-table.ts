import { type QueryExecutorProvider, sql } from 'kysely';

import type { Row } from './canonical-row.ts';
import type { MovedTable } from './moved-table.ts';
import { readColumns, readTable } from './read-table.ts';
import type { Side, Target } from './side.ts';

/** SQLite takes 32,766 parameters, PostgreSQL twice as many. */
const mostParameters = 30_000;

async function insertRows(
  trx: QueryExecutorProvider,
  name: string,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const atOnce = Math.max(1, Math.floor(mostParameters / columns.length));
  for (let from = 0; from < rows.length; from += atOnce) {
    const values = rows
      .slice(from, from + atOnce)
      .map((row) => sql`(${sql.join(columns.map((column) => sql`${row[column] ?? null}`))})`);
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}`.execute(trx);
  }
}

/** @throws when this build's tables of the two databases differ */
async function readCommonColumns(
  from: QueryExecutorProvider,
  source: Side,
  to: QueryExecutorProvider,
  target: Side,
  table: MovedTable,
) {
  const [read, written] = [await readColumns(from, source.engine, table), await readColumns(to, target.engine, table)];
  if (read.join() !== written.join()) throw new Error(`The table ${table.name} has other columns in ${target.shown}`);
  return read;
}

/**
 * @param onRows called after each batch with how many rows of the table are there
 * @returns how many there are
 */
export async function copyTable(
  source: Side,
  target: Target,
  table: MovedTable,
  onRows: (rows: number) => void = () => undefined,
): Promise<number> {
  const [from, to] = [source.db(table.of), target.db(table.of)];
  if (!from || !to) return 0;
  const columns = await readCommonColumns(from, source, to, target, table);
  let rows = 0;
  for await (const batch of readTable(from, source.engine, table)) {
    rows += batch.length;
    await target.transact(table.of, (trx) =>
      table.write ? table.write(trx, target.engine, batch) : insertRows(trx, table.name, columns, batch),
    );
    onRows(rows);
  }
  return rows;
}
