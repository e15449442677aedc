import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Pool } from '#src/store/postgres/open-pool.ts';

/**
 * What an app's own setting says is recorded of it, for a process that only records: it looks every few seconds, and keeps neither
 * the store in memory nor the file open, so that a backup can be restored under it.
 */
export type StoredRecord =
  | { readonly type: 'known'; readonly record: string | undefined; readonly allUntil: number }
  | { readonly type: 'deleted' }
  /** The file is locked, or not there at this moment; or the database does not answer. */
  | { readonly type: 'unreadable' };

const question = 'select record, (select until from record_all where app = app.id) as until from app where id =';

function understand(row: Readonly<Record<string, unknown>> | undefined): StoredRecord {
  if (!row) return { type: 'deleted' };
  const { record, until } = row;
  return {
    type: 'known',
    record: typeof record === 'string' ? record : undefined,
    allUntil: typeof until === 'number' ? until : 0,
  };
}

/** The same from PostgreSQL. It keeps one connection while it is asked. */
export async function readRecordIn(pool: Pick<Pool, 'connect'>, app: string): Promise<StoredRecord> {
  try {
    const client = await pool.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(`${question} $1`, [app]);
      client.release();
      return understand(rows[0]);
    } catch (error) {
      client.release(true);
      throw error;
    }
  } catch {
    return { type: 'unreadable' };
  }
}

/** @param folder the data folder */
export function readStoredRecord(folder: string, app: string): StoredRecord {
  try {
    const database = new DatabaseSync(path.join(folder, 'flight.db'), { readOnly: true });
    try {
      return understand(database.prepare(`${question} ?`).get(app));
    } finally {
      database.close();
    }
  } catch {
    return { type: 'unreadable' };
  }
}
