import { listWaiting, spoolFolder } from '#src/store/spool/hold-spool.ts';

/**
 * What came while PostgreSQL was away waits in a data folder, and its senders were told that it is kept. A move reads databases: it
 * would leave that behind, and a server on SQLite never reads it.
 * @throws naming the files
 */
export function refuseSpools(dataFolders: Iterable<string>): void {
  const files = [...new Set(dataFolders)].flatMap((folder) => listWaiting(spoolFolder(folder)));
  if (files.length === 0) return;
  throw new Error(
    `Errors wait for PostgreSQL in ${files.join(', ')}: a move would leave them behind. Start a server on that data ` +
      'folder with the DATABASE_URL that they are for, until it has written them and the files are gone, and stop it again. ' +
      'Or give them up: move the files away.',
  );
}
