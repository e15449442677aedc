import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/**
 * Copies of a database that is in use. SQLite's online backup starts over whenever another process writes between two of
 * its steps, which under load is for ever; so the copy is one step. It reads one snapshot, off the event loop, and in
 * WAL mode neither waits for the writer nor makes it wait.
 *
 * The copy appears under its name when it is whole and on disk: a backup that was cut off must not look like one.
 */

/** All pages; the number that SQLite takes is an int. */
const everyPage = 2 ** 31 - 1;
/** As the store's: nobody holds the write lock for longer than a moment. */
const busyTimeoutMs = 1_000;

/** Makes a rename in `folder` outlast a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** Checks every page and index, and leaves one file: a copy in WAL mode has two more beside it as soon as it is read. */
function checkCopy(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec('pragma journal_mode = delete');
    const found = copy.prepare('pragma integrity_check(1)').get()?.['integrity_check'];
    if (found !== 'ok') throw new Error(`its check says: ${String(found)}`);
  } finally {
    copy.close();
  }
}

/**
 * Copies the database `from`, which may be written at the same time, to the new file `to`, for its owner alone.
 * @returns the copy's size in bytes
 * @throws when `to` exists, when there is no room, or when the copy is damaged, which means that `from` is
 */
export async function copyDatabase(from: string, to: string): Promise<number> {
  if (existsSync(to)) throw new Error(`${to} exists; a copy never overwrites a file`);
  if (!existsSync(from)) throw new Error(`There is no database at ${from}`);
  const partial = `${to}.partial`;
  // Made here, so that it is its owner's alone before the first byte is in it; left from a copy that was cut off, it goes.
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  const source = new DatabaseSync(from, { readOnly: true, timeout: busyTimeoutMs });
  try {
    await backup(source, partial, { rate: everyPage });
    checkCopy(partial);
    const { size } = statSync(partial);
    if (existsSync(to)) throw new Error(`${to} exists by now`);
    renameSync(partial, to);
    syncFolder(path.dirname(to));
    return size;
  } catch (error) {
    rmSync(partial, { force: true });
    throw new Error(`${from} could not be copied to ${to}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    source.close();
  }
}
