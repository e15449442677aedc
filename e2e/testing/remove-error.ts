import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { openPool } from '#src/store/postgres/open-pool.ts';

/** Deletes the row of an error as retention does: what is left of it, the database's trigger writes. */
export async function removeError(id: string): Promise<void> {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined) {
    const pool = openPool(url, { most: 1 });
    const client = await pool.connect();
    await client.query(`delete from event where side = 'server' and id = $1`, [id]);
    client.release();
    return pool.end();
  }
  const database = new DatabaseSync(path.join(process.env['E2E_DATA'] ?? '', 'flight.db'), { timeout: 5_000 });
  try {
    database.prepare(`delete from event where side = 'server' and id = ?`).run(id);
  } finally {
    database.close();
  }
}
