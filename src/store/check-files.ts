import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';

/**
 * Checks the files before SQLite opens them. For a folder, a foreign file or a missing permission SQLite says "unable to open
 * database file" or "disk I/O error", which names neither the file nor the reason. And it does not report a log that is not a
 * write-ahead log: it treats it as empty, and the last commits are lost.
 */

/** The first four bytes of a write-ahead log, for the two byte orders of its checksums. */
const logMarks = ['377f0682', '377f0683'];
const logHeaderBytes = 32;

/**
 * @param what names the file in the message
 * @throws with one line when `file` is there and is not a file that this process may read and write
 */
export function checkFile(file: string, wayOut: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isFile()) {
    const kind = found.isDirectory() ? 'a directory' : 'not a file';
    throw new Error(`${file} is ${kind}, where a file of the server belongs. ${wayOut}`);
  }
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw new Error(
      `${file} cannot be read and written by this process: it belongs to user ${found.uid} with mode ${mode}, ` +
        `and the process runs as user ${process.getuid?.() ?? 'unknown'}. Start the server as the owner of its data folder, or ` +
        'give the folder and everything in it to the user that it runs as, with mode 0700 and 0600.',
      { cause: error },
    );
  }
}

/** A log that a crash left before its first commit may be short, or zeros. */
function checkLog(log: string): void {
  if (!statSync(log, { throwIfNoEntry: false })) return;
  const header = Buffer.alloc(logHeaderBytes);
  const handle = openSync(log, 'r');
  try {
    if (readSync(handle, header) < logHeaderBytes) return;
  } finally {
    closeSync(handle);
  }
  if (header.every((byte) => byte === 0) || logMarks.includes(header.toString('hex', 0, 4))) return;
  throw new Error(
    `${log} is damaged: it does not begin as a log of SQLite does, and what was stored last may have been in it. It was left as ` +
      "it is. Restore a backup (the operator's command restore <file>), or move that file away to go on without it.",
  );
}

/** @throws with one line that names the file that cannot be used and says what to do */
export function checkFiles(database: string): void {
  checkFile(database, 'Move it away, or point FLIGHT_DATA at another folder.');
  checkFile(`${database}-wal`, 'Move it away.');
  checkFile(`${database}-shm`, 'Move it away: it is made again from the log.');
  checkLog(`${database}-wal`);
}
