import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

import { describeError } from '#boundary';

/**
 * Copies of a database that is in use. SQLite's online backup starts again whenever another process writes between two of its
 * steps, so under load it would never end. Therefore the copy is one step. It reads one snapshot, outside the event loop. In
 * WAL mode it does not wait for the writer, and the writer does not wait for it.
 *
 * The copy gets its name only when it is complete and on disk: an incomplete backup must not look like a backup.
 */

/** All pages; the number that SQLite takes is an int. */
const everyPage = 2 ** 31 - 1;
/** The same as the store's: nobody holds the write lock for long. */
const busyTimeoutMs = 1_000;

/** After this, a rename in `folder` survives a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** Checks every page and index, and makes it a single file: a copy in WAL mode gets two more files as soon as it is read. */
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
 * Copies the database `from`, which may be written at the same time, to the new file `to`, which only its owner can read.
 * @param add adds something to the copy before it is checked
 * @returns the copy's size in bytes
 * @throws when `to` exists, when there is no room, or when the copy is damaged, because then `from` is damaged too
 */
export async function copyDatabase(from: string, to: string, add?: (copy: string) => void): Promise<number> {
  if (existsSync(to)) throw new Error(`${to} exists; a copy never overwrites a file`);
  if (!existsSync(from)) throw new Error(`There is no database at ${from}`);
  const partial = `${to}.partial`;
  // Made here, so that only its owner can read it before it has content. A file left by an interrupted copy is deleted.
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  const source = new DatabaseSync(from, { readOnly: true, timeout: busyTimeoutMs });
  try {
    await backup(source, partial, { rate: everyPage });
    add?.(partial);
    checkCopy(partial);
    const { size } = statSync(partial);
    if (existsSync(to)) throw new Error(`${to} exists by now`);
    renameSync(partial, to);
    syncFolder(path.dirname(to));
    return size;
  } catch (error) {
    for (const suffix of ['', '-journal']) rmSync(`${partial}${suffix}`, { force: true });
    throw new Error(`${from} could not be copied to ${to}: ${describeError(error)}`, {
      cause: error,
    });
  } finally {
    source.close();
  }
}
