import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describeError } from '#boundary';
import { isDamage, readSqliteCode } from '#src/store/sqlite-errors.ts';

import { holdFile } from './hold-file.ts';
import { latestVersion, readVersion, upgradeFlights } from './migrations.ts';

/**
 * Recorded flights, in a file of their own beside the reports. They are many, large and expendable, and reports are not. So this
 * file never makes a report wait. When it is damaged, it is moved aside and a new one is begun; one of a later version is refused, as
 * PostgreSQL's tables are, and nothing is recorded until a build that knows it opens it. The app starts in any case.
 *
 * WAL with synchronous NORMAL: what was committed survives a crash of the process; a power cut may take the last
 * moments. `secure_delete` overwrites what is deleted with zeros, and incremental auto-vacuum gives the pages back.
 *
 * Several processes may write one file: the interface's own, and a proxy in front of another app. SQLite takes care of their
 * transactions. Making, upgrading and moving the file is done by one of them at a time (hold-file.ts), and each looks before a
 * batch whether the file that it has open is still the one at this path.
 */
export const flightsFile = 'flights.db';

/** The other connection locks the file for a batch of some milliseconds, or for a checkpoint of the log. */
const busyTimeoutMs = 2_000;
/** The log is checkpointed at 8 MiB (1000 pages); after a burst it shrinks back to this. */
const logSizeLimitBytes = 16 * 1024 * 1024;

/** SQLITE_ERROR: the tables are not those that their version has. */
function isOfOtherTables(error: unknown): boolean {
  return (readSqliteCode(error) & 0xff) === 1;
}

/**
 * A payload holds what its visitor saw: the file is for its owner alone, in a folder of the app's own too, and whoever makes it: an app's
 * process records under a mask of its own. SQLite gives the files beside it the same mode. One that is there is not opened here:
 * closing it again would release the locks that this process has on it.
 */
function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

function connect(file: string): DatabaseSync {
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // Page size and auto_vacuum only count before the first table, and WAL fixes the page size: hence the order.
    database.exec('pragma page_size = 8192; pragma auto_vacuum = incremental; pragma journal_mode = wal');
    database.exec(`pragma synchronous = normal; pragma journal_size_limit = ${logSizeLimitBytes}`);
    database.exec('pragma secure_delete = on; pragma trusted_schema = off');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Renames the file, in place of the one that was moved aside before it: one is enough to look at, and they are large. */
function moveAside(file: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  renameSync(file, `${file}.damaged`);
}

export type OpenedFlights = {
  readonly database: DatabaseSync;
  readonly inode: number;
  /** Why a file that was there could not be used any more. */
  readonly movedAside: string | undefined;
};

/** Returns undefined when there is none. */
export function findFlightsInode(folder: string): number | undefined {
  return statSync(path.join(folder, flightsFile), { throwIfNoEntry: false })?.ino;
}

/** Opens what is there, or makes a new one; the caller holds the file. @throws when it is of a later version */
function openHeld(file: string): Omit<OpenedFlights, 'inode'> {
  let movedAside: string | undefined;
  if (existsSync(file)) {
    let database: DatabaseSync | undefined;
    try {
      database = connect(file);
      // A file of version 0 was never completed, or is not ours.
      const found = readVersion(database) === 0 ? 0 : upgradeFlights(database);
      if (found === latestVersion) return { database, movedAside };
      if (found !== 0) throw new Error(`${flightsFile} has version ${found} and this build knows ${latestVersion}`);
    } catch (error) {
      if (!isDamage(error) && !isOfOtherTables(error)) {
        database?.close();
        throw error;
      }
      movedAside = describeError(error);
    }
    database?.close();
    moveAside(file);
  }
  const database = connect(file);
  upgradeFlights(database);
  return { database, movedAside };
}

/**
 * Opens or creates the file for the one connection of this process that writes.
 * @param damaged the inode of a file that is to be moved away first, if it is still this one
 * @throws when the folder cannot be written, or the disk is full
 */
export function openFlightsFile(folder: string, damaged?: number): OpenedFlights {
  const file = path.join(folder, flightsFile);
  // Payloads hold what visitors see: nobody else on the machine gets to read them.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return holdFile(file, () => {
    // Another process may have met the same damage, and have moved it away already.
    if (damaged !== undefined && findFlightsInode(folder) === damaged) moveAside(file);
    const opened = openHeld(file);
    return { ...opened, inode: statSync(file).ino };
  });
}

/** Whether the file is one that an earlier build left. */
export function isEarlierFile(folder: string): boolean {
  const file = path.join(folder, flightsFile);
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    database.exec('pragma query_only = on');
    const version = readVersion(database);
    return version > 0 && version < latestVersion;
  } finally {
    database.close();
  }
}

/** A connection for reading what is there; undefined when nothing was recorded yet, or the writer has not upgraded it yet. */
export function openFlightsForReading(folder: string): DatabaseSync | undefined {
  const file = path.join(folder, flightsFile);
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  database.exec('pragma query_only = on; pragma trusted_schema = off');
  if (readVersion(database) === latestVersion) return database;
  // The writer is making it, or upgrading it: each version and its tables come in one transaction.
  database.close();
  return undefined;
}
