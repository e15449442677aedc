import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import path from 'node:path';

import { flightsFile, openFlightsFile } from '#src/flights/writer/open-flights.ts';
import { openStore } from '#src/store/open-store.ts';

import { movedTables } from '../moved-tables.ts';

/**
 * A data folder whose every table has rows, and whose every column has values: texts beyond ASCII, with NUL, null where it may be,
 * fractions, bytes. What triggers count is counted by them.
 */
type Column = { readonly name: string; readonly type: string; readonly isNullable: boolean; readonly isKey: boolean };

function readColumns(database: DatabaseSync, table: string): Column[] {
  return database
    .prepare('select name, type, "notnull" as needed, pk from pragma_table_info(?)')
    .all(table)
    .map((row) => ({
      name: String(row['name']),
      type: String(row['type']),
      isNullable: row['needed'] === 0 && row['pk'] === 0,
      isKey: Number(row['pk']) > 0,
    }));
}

/** What other columns are about. */
function makeSpecial(table: string, column: string, n: number): SQLInputValue | undefined {
  switch (`${table}.${column}`) {
    case 'event.ordinal':
      return n;
    case 'event.side':
      return n % 2 === 0 ? 'browser' : 'server';
    case 'map_file.bundle':
      return `id ${n} é`;
    case 'fault.side':
      return n % 3 === 0 ? 'browser' : 'server';
    case 'flight.started_at':
      // Ten to a day; one is out of order.
      return 1_795_000_000_000.25 + Math.floor((n === 17 ? 3 : n) / 10) * 86_400_000 + n;
    case 'flight.body_id':
      // Some share one.
      return n % 4 === 0 ? null : Math.ceil(n / 2);
    case 'body.hash':
      return Buffer.from(String(n).padStart(32, '0'));
    case 'attachment.flight_id':
    case 'flight_digest.flight_id':
      return n;
    default:
      return undefined;
  }
}

function makeValue(table: string, { name, type, isNullable, isKey }: Column, n: number): SQLInputValue {
  const special = makeSpecial(table, name, n);
  if (special !== undefined) return special;
  if (isNullable && n % 5 === 0) return null;
  switch (type.toLowerCase()) {
    case 'text':
      return isKey ? `${name} ${n} é` : `${name}\n${n} "ü" ${n % 7 === 0 ? '\0' : '🜚'}`;
    case 'real':
      return n / 3;
    case 'blob':
      return Buffer.from([0, 255, n % 256, ...Buffer.from(`${table} ${n}`.repeat(n % 50))]);
    default:
      return n;
  }
}

function fillTable(database: DatabaseSync, table: string, rows: number): void {
  const columns = readColumns(database, table);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const insert = database.prepare(`insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`);
  database.exec('begin');
  for (let n = 1; n <= rows; n += 1) insert.run(...columns.map((column) => makeValue(table, column, n)));
  database.exec('commit');
}

export async function fillFolder(folder: string, { rows, flights }: { rows: number; flights: number }): Promise<void> {
  const store = await openStore(folder);
  await store.close();
  const database = new DatabaseSync(path.join(folder, 'flight.db'));
  for (const { name, of, isDerived } of movedTables) {
    if (of === 'store' && !isDerived) fillTable(database, name, rows);
  }
  database.exec("delete from event where id like 'id 2%'");
  database.close();
  openFlightsFile(folder).database.close();
  const recording = new DatabaseSync(path.join(folder, flightsFile));
  for (const name of ['body', 'flight', 'attachment', 'flight_digest', 'loss']) fillTable(recording, name, flights);
  recording.close();
}
