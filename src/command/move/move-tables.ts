import { createHash } from 'node:crypto';

import { copyTable } from './copy-table.ts';
import { movedTables } from './moved-tables.ts';
import type { Side, Target } from './side.ts';
import { writeCanonicalRow } from './canonical-row.ts';
import type { MovedTable } from './moved-table.ts';
import { readColumns, readTable } from './read-table.ts';

/** What a table holds, whichever database it is in: the number of its rows, and one SHA-256 over all of them in the order of their keys. */
type Sum = { readonly rows: number; readonly checksum: string };

async function sumTable(side: Side, table: MovedTable, onRows: (rows: number) => void = () => undefined): Promise<Sum> {
  const db = side.db(table.of);
  const hash = createHash('sha256');
  let count = 0;
  if (db) {
    const columns = await readColumns(db, side.engine, table);
    for await (const rows of readTable(db, side.engine, table)) {
      for (const row of rows) hash.update(`${writeCanonicalRow(row, columns)}\n`);
      count += rows.length;
      onRows(count);
    }
  }
  return { rows: count, checksum: hash.digest('hex') };
}

/** What is told while it moves. */
export type Tell = (step: 'copied' | 'compared', table: string, rows: number, isDone: boolean) => void;

export type TableSum = Sum & { readonly name: string };

/**
 * Copies every table, and compares both sides. The target is finished only when they are equal.
 * @throws naming the first table that differs
 */
export async function moveTables(source: Side, target: Target, tell: Tell): Promise<readonly TableSum[]> {
  for (const table of movedTables) {
    if (table.isDerived) continue;
    const rows = await copyTable(source, target, table, (count) => tell('copied', table.name, count, false));
    tell('copied', table.name, rows, true);
  }
  const sums: TableSum[] = [];
  for (const table of movedTables) {
    const [one, other] = [
      await sumTable(source, table, (rows) => tell('compared', table.name, rows, false)),
      await sumTable(target, table),
    ];
    if (one.rows !== other.rows || one.checksum !== other.checksum) {
      throw new Error(
        `The table ${table.name} differs: ${one.rows} rows in ${source.shown}, ${other.rows} in ${target.shown}, ` +
          `checksums ${one.checksum.slice(0, 12)} and ${other.checksum.slice(0, 12)}. Was the source changed meanwhile? Nothing ` +
          `is finished: empty ${target.shown} and begin again.`,
      );
    }
    tell('compared', table.name, one.rows, true);
    sums.push({ name: table.name, ...one });
  }
  return sums;
}
