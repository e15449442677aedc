import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import { describeError } from '#boundary';

import { syncFolder } from './copy-database.ts';
import { refuseOtherVersion } from './migrations.ts';
import { sleep } from './sleep.ts';
import { isDamage, mayPass } from './sqlite-errors.ts';

/**
 * What happens to the file before the store opens it for writing. A file that is not a complete database of this app is refused
 * and not changed by a single byte, nor are its log and its index: whoever has to rescue the data must find it as the crash left
 * it. So the file is checked through a read-only connection, which never writes the log back.
 *
 * A new database is made under another name and renamed when it is complete. So an empty file is never a new database: a full
 * disk or a faulty script emptied it. To open it would start an empty database without a word.
 */

/** "FLTR". Set by this app alone, so that another application's database is never migrated. */
export const applicationId = 0x464c5452;
const signature = 'SQLite format 3\0';
const busyTimeoutMs = 1_000;
/** Another process is between two states of the log for some 10 ms at most: 20 looks, 25 ms apart, are half a second. */
const mostLooks = 20;
const lookAgainMs = 25;

/** The schema's version; 0 for one without tables. */
export type Inspected = { readonly version: number };

const wayOut =
  "It was left as it is. Restore a backup (the operator's command restore <file>), or move it away " +
  'together with the files beside it that begin with its name, to begin with an empty one.';

function refuse(file: string, problem: string, cause?: unknown): Error {
  return new Error(`The database ${file} ${problem}. ${wayOut}`, { cause });
}

/** Damage that can be seen without SQLite, or that SQLite does not report as damage. */
function checkStart(file: string): void {
  const start = Buffer.alloc(signature.length);
  let length: number;
  try {
    const handle = openSync(file, 'r');
    try {
      length = readSync(handle, start);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const reason = describeError(error);
    throw new Error(`The database ${file} cannot be read: ${reason}`, { cause: error });
  }
  if (length === 0) throw refuse(file, 'is empty (0 bytes), which no database ever is');
  if (start.toString('latin1') !== signature) throw refuse(file, 'is damaged: it does not begin as a database does');
}

/**
 * With `readonly_shm` SQLite does not change an index that exists, but it would create a missing one. Without a log SQLite
 * is told that nobody writes (`immutable`), and creates neither log nor index; otherwise it would leave both behind.
 */
function openReadOnly(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  else if (existsSync(`${file}-shm`)) url.searchParams.set('readonly_shm', '1');
  return new DatabaseSync(url, { readOnly: true, timeout: busyTimeoutMs });
}

function readNumber(database: DatabaseSync, pragma: string): number {
  const value = database.prepare(`pragma ${pragma}`).get()?.[pragma];
  if (typeof value !== 'number') throw new Error(`SQLite does not say its ${pragma}`);
  return value;
}

function readDatabase(file: string, isThorough: boolean, newest: number | undefined): Inspected {
  const database = openReadOnly(file);
  try {
    const version = readNumber(database, 'user_version');
    if (readNumber(database, 'application_id') !== applicationId) throw refuse(file, 'belongs to another application');
    refuseOtherVersion(version, newest);
    if (isThorough) {
      const found = database.prepare('pragma quick_check(1)').get()?.['quick_check'];
      if (found !== 'ok') throw refuse(file, `is damaged: ${String(found).replaceAll('\n', ' ')}`);
    }
    return { version };
  } finally {
    database.close();
  }
}

/**
 * Looks at the database `file` without changing anything.
 * @param isThorough reads every page. That takes about 0.05 s for 100 MB when the system has the file in memory, otherwise as long
 * as the disk needs to read it. Without it a file that was cut short is noticed, and an overwritten page is not.
 * @param newest the schema's version that this build knows
 * @throws with one line that says what is wrong and what to do; also for the database of another build
 */
export function inspectDatabase(file: string, isThorough: boolean, newest?: number): Inspected {
  checkStart(file);
  for (let looks = 1; ; looks += 1) {
    const hadIndex = existsSync(`${file}-shm`);
    try {
      return readDatabase(file, isThorough, newest);
    } catch (error) {
      if (mayPass(error) && looks < mostLooks) {
        sleep(lookAgainMs);
        continue;
      }
      // An index that another process has just made is not ours to remove: only of a file that nobody can use is it a trace of this look.
      if (!hadIndex && !mayPass(error)) rmSync(`${file}-shm`, { force: true });
      if (isDamage(error)) throw refuse(file, `is damaged: ${error.message}`, error);
      throw error;
    }
  }
}

/**
 * Makes the empty database `file`, readable by its owner alone.
 * @throws when the log of another database is beside it: SQLite would write that log into the new one
 */
export function createDatabase(file: string): void {
  if (existsSync(`${file}-wal`)) {
    throw new Error(
      `${file}-wal is there without ${file}, whose last changes it holds. Put the database back, or move both away.`,
    );
  }
  const fresh = path.join(path.dirname(file), 'flight-new.db');
  for (const suffix of ['', '-journal']) rmSync(`${fresh}${suffix}`, { force: true });
  closeSync(openSync(fresh, 'wx', 0o600));
  const database = new DatabaseSync(fresh);
  // Page size and auto_vacuum only count before the first page, and WAL fixes the page size: hence the order.
  database.exec('pragma page_size = 8192; pragma auto_vacuum = incremental');
  database.exec(`pragma synchronous = full; pragma application_id = ${applicationId}`);
  database.close();
  renameSync(fresh, file);
  syncFolder(path.dirname(file));
}

/** For files of an older version, which did not set their permissions. */
export function makePrivate(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      chmodSync(`${file}${suffix}`, 0o600);
    } catch (error) {
      // Another process takes the log away with its last connection.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
