import 'server-only';

import path from 'node:path';

import { addMaps } from '#src/store/backup-maps.ts';
import { copyDatabase } from '#src/store/copy-database.ts';
import { dataFolder } from '#src/store/data-folder.ts';

import { refuseBackup } from './postgres-backup.ts';

/**
 * `backup <file>`: copies the database as it is at this moment, also while a server writes to it, and the source maps that it names.
 * @throws where the data is in PostgreSQL, with what to run; when the file exists, or the copy could not be made or is damaged
 */
export async function backUp(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (!name || name.startsWith('-') || rest.length > 0) return 2;
  refuseBackup(name);
  const file = path.resolve(name);
  const folder = dataFolder();
  let maps = 0;
  const bytes = await copyDatabase(path.join(folder, 'flight.db'), file, (copy) => (maps = addMaps(copy, folder)));
  const ofMaps = maps === 0 ? '' : `, with ${maps} source maps`;
  process.stdout.write(`${file}: ${(bytes / 1024 / 1024).toFixed(1)} MiB${ofMaps}, checked\n`);
  return 0;
}
