import { writeCountedInsert, type CountedTable } from './counted-table.ts';
import type { Prepare } from './prepare.ts';

/** Inserts a row into SQLite, or counts it in the one that is there. */
export function insertCounted<Row extends { readonly app: string }>(
  prepare: Prepare,
  table: CountedTable<Row>,
  row: Row,
): void {
  const { name, key, toValues, kept, withoutPlace } = table;
  const where = key.map((column) => `${column} = ?`).join(' and ');
  const isKnown = prepare(`select 1 from ${name} where ${where}`).get(...toValues(row).slice(0, key.length));
  const rows = isKnown ? 0 : Number(prepare(`select count(*) as n from ${name} where app = ?`).get(row.app)?.['n']);
  const counted = rows < kept ? row : withoutPlace(row);
  prepare(writeCountedInsert(table, () => '?')).run(...toValues(counted));
}
