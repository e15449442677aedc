import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { ageFile } from './age-clock.ts';
import { takeMaps, type TakenMaps } from './backup-maps.ts';
import { copyDatabase, syncFolder } from './copy-database.ts';
import { prepareFolder } from './data-folder.ts';
import { inspectDatabase } from './database-file.ts';
import { withoutServer } from './instance.ts';

/**
 * Replaces `flight.db` by a backup. Copying it by hand has one trap: SQLite would write the log of the old database into the
 * new one. Here the old database and its log are renamed together, and nothing is deleted.
 */

/** In the backup, sessions that ended, login links that were used and tokens that were revoked since then are still valid. */
function endAllAccess(file: string): void {
  const database = new DatabaseSync(file);
  try {
    for (const table of ['session', 'login_link', 'api_token']) {
      const isThere = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table);
      if (isThere) database.exec(`delete from ${table}`);
    }
  } finally {
    database.close();
  }
}

export type Restored = {
  /** The name that the database from before has now; undefined when there was none. */
  readonly replaced: string | undefined;
  readonly maps: TakenMaps;
};

/**
 * Puts a copy of the backup `from` into `folder`, whose server must not run.
 * @throws when the server runs, or when `from` is not a whole database that this build can open
 */
export async function restoreDatabase(folder: string, from: string): Promise<Restored> {
  prepareFolder(folder);
  return withoutServer(folder, async () => {
    if (!existsSync(from)) throw new Error(`There is no backup at ${from}`);
    inspectDatabase(from, true);
    const file = path.join(folder, 'flight.db');
    const restored = path.join(folder, 'flight-restored.db');
    rmSync(restored, { force: true });
    await copyDatabase(from, restored);
    endAllAccess(restored);
    // Before the database that names them. Without it they are files that nobody asks for.
    const maps = takeMaps(restored, folder);
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const replaced = `flight-replaced-${stamp}.db`;
    const left = ['', '-wal', '-shm'].filter((suffix) => existsSync(`${file}${suffix}`));
    for (const suffix of left) renameSync(`${file}${suffix}`, path.join(folder, `${replaced}${suffix}`));
    renameSync(restored, file);
    // By the saved clock the backup's rows would be too old at once. Without it the clock starts at the newest row.
    rmSync(path.join(folder, ageFile), { force: true });
    syncFolder(folder);
    return { replaced: left.includes('') ? replaced : undefined, maps };
  });
}
