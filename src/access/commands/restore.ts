import 'server-only';

import path from 'node:path';

import { dataFolder } from '#src/store/data-folder.ts';
import { restoreDatabase } from '#src/store/restore-database.ts';

import { refuseRestore } from './postgres-backup.ts';

/**
 * `restore <file>`: replaces the database by a backup. The replaced database is kept under another name.
 * @throws where the data is in PostgreSQL, with what to run; while a server runs on the data folder, and when the file is not a whole
 *   database of this app
 */
export async function restore(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (!name || name.startsWith('-') || rest.length > 0) return 2;
  refuseRestore(name);
  const folder = dataFolder();
  const { replaced, maps } = await restoreDatabase(folder, path.resolve(name));
  const before = replaced === undefined ? '' : `; the one before is ${path.join(folder, replaced)}`;
  process.stdout.write(`${path.join(folder, 'flight.db')} is restored${before}\n`);
  if (maps.taken > 0) process.stdout.write(`${maps.taken} source maps are restored with it.\n`);
  if (maps.refused > 0) {
    process.stderr.write(
      `${maps.refused} source maps of the backup are damaged, and were left out: upload them again.\n`,
    );
  }
  process.stdout.write('Everybody is signed out, and all tokens of the API are revoked.\n');
  return 0;
}
