import 'server-only';

import path from 'node:path';

import { copyDatabase } from '#src/store/copy-database.ts';
import { dataFolder } from '#src/store/data-folder.ts';

import { refuseBackup } from './postgres-backup.ts';

/**
 * `backup <file>`: copies the database as it is at this moment, also while a server writes to it.
 * @throws where the data is in PostgreSQL, with what to run; when the file exists, or the copy could not be made or is damaged
 */
export async function backUp(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (!name || name.startsWith('-') || rest.length > 0) return 2;
  refuseBackup(name);
  const file = path.resolve(name);
  const bytes = await copyDatabase(path.join(dataFolder(), 'flight.db'), file);
  process.stdout.write(`${file}: ${(bytes / 1024 / 1024).toFixed(1)} MiB, checked\n`);
  return 0;
}
