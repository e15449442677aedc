import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { openPool } from '#src/store/postgres/open-pool.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

async function readPostgres(url: string, text: string, value: string): Promise<Rows> {
  const pool = openPool(url, { most: 1 });
  const client = await pool.connect();
  try {
    return (await client.query<Record<string, unknown>>(text.replace('?', '$1'), [value])).rows;
  } finally {
    client.release();
    await pool.end();
  }
}

/** What the server under test has stored, whatever it stores it in. @param text has one `?`, which stands for `value` */
export async function readRows(text: string, value: string): Promise<Rows> {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined) return readPostgres(url, text, value);
  const database = new DatabaseSync(path.join(process.env['E2E_DATA'] ?? '', 'flight.db'), { readOnly: true });
  try {
    return database
      .prepare(text)
      .all(value)
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}
