import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { copyDatabase, syncFolder } from './copy-database.ts';
import { ageFile } from './age-clock.ts';
import { prepareFolder } from './data-folder.ts';
import { inspectDatabase } from './database-file.ts';
import { withoutServer } from './instance.ts';

/**
 * A backup takes the place of `flight.db`. Copying it there by hand has one trap: the log that lies beside the old
 * database would be written into the new one. Here both leave together, and nothing of it is deleted.
 */

/** A session that was ended, or a login link that was used, after the backup was made is live in it. */
function signEveryoneOut(file: string): void {
  const database = new DatabaseSync(file);
  try {
    for (const table of ['session', 'login_link']) {
      const isThere = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table);
      if (isThere) database.exec(`delete from ${table}`);
    }
  } finally {
    database.close();
  }
}

/**
 * Puts a copy of the backup `from` into `folder`, whose server must not run.
 * @returns the name that the database from before has now; undefined when there was none
 * @throws when the server runs, or when `from` is not a whole database that this build can open
 */
export async function restoreDatabase(folder: string, from: string): Promise<string | undefined> {
  prepareFolder(folder);
  return withoutServer(folder, async () => {
    if (!existsSync(from)) throw new Error(`There is no backup at ${from}`);
    inspectDatabase(from, true);
    const file = path.join(folder, 'flight.db');
    const restored = path.join(folder, 'flight-restored.db');
    rmSync(restored, { force: true });
    await copyDatabase(from, restored);
    signEveryoneOut(restored);
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const replaced = `flight-replaced-${stamp}.db`;
    const left = ['', '-wal', '-shm'].filter((suffix) => existsSync(`${file}${suffix}`));
    for (const suffix of left) renameSync(`${file}${suffix}`, path.join(folder, `${replaced}${suffix}`));
    renameSync(restored, file);
    // It would call the backup's rows too old at once. Without it they have lived until the newest of them.
    rmSync(path.join(folder, ageFile), { force: true });
    syncFolder(folder);
    return left.includes('') ? replaced : undefined;
  });
}
