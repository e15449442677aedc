import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * What an app's own setting says is recorded of it, for a process that only records: it looks every few seconds, and keeps neither
 * the store in memory nor the file open, so that a backup can be restored under it.
 */
export type StoredRecord =
  | { readonly type: 'known'; readonly record: string | undefined; readonly allUntil: number }
  | { readonly type: 'deleted' }
  /** The file is locked, or not there at this moment. */
  | { readonly type: 'unreadable' };

/** @param folder the data folder */
export function readStoredRecord(folder: string, app: string): StoredRecord {
  try {
    const database = new DatabaseSync(path.join(folder, 'flight.db'), { readOnly: true });
    try {
      const row = database
        .prepare('select record, (select until from record_all where app = app.id) as until from app where id = ?')
        .get(app);
      if (!row) return { type: 'deleted' };
      const { record, until } = row;
      return {
        type: 'known',
        record: typeof record === 'string' ? record : undefined,
        allUntil: typeof until === 'number' ? until : 0,
      };
    } finally {
      database.close();
    }
  } catch {
    return { type: 'unreadable' };
  }
}
