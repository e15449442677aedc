import { createHash } from 'node:crypto';

import { writeCanonicalRow } from './canonical-row.ts';
import type { MovedTable } from './moved-table.ts';
import { readColumns, readTable } from './read-table.ts';
import type { Side } from './side.ts';

/** What a table holds, whichever database it is in: the number of its rows, and one SHA-256 over all of them in the order of their keys. */
export type Sum = { readonly rows: number; readonly checksum: string };

export async function sumTable(
  side: Side,
  table: MovedTable,
  onRows: (rows: number) => void = () => undefined,
): Promise<Sum> {
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
