import 'server-only';

import path from 'node:path';

import { dataFolder } from '#src/store/data-folder.ts';
import { restoreDatabase } from '#src/store/restore-database.ts';

/**
 * `restore <file>`: replaces the database by a backup. The replaced database is kept under another name.
 * @throws while a server runs on the data folder, and when the file is not a whole database of this app
 */
export async function restore(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (!name || name.startsWith('-') || rest.length > 0) return 2;
  const folder = dataFolder();
  const replaced = await restoreDatabase(folder, path.resolve(name));
  const before = replaced === undefined ? '' : `; the one before is ${path.join(folder, replaced)}`;
  process.stdout.write(`${path.join(folder, 'flight.db')} is restored${before}\n`);
  return 0;
}
