import { closeSync, constants, existsSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import { checkFile } from './check-files.ts';
import { isFolderUsable, prepareFolder } from './data-folder.ts';
import { readInstance, type Instance, type Presence } from './instance-file.ts';
import { readSqliteCode } from './sqlite-errors.ts';

/**
 * One server for a data folder. Two servers would each apply retention, limits and sessions from their own memory, and the second
 * would upgrade the schema while the first uses it.
 *
 * The lock is SQLite's own, on an empty file beside the database, in an exclusive transaction that lasts as long as the
 * process. The system releases it when the process ends in whatever way, so nothing has to be cleaned up after a crash.
 * `instance.json` tells people and the command line who holds the lock. The only thing that depends on it is whether the last stop
 * was a clean one.
 *
 * Nothing else may open `instance.lock`: closing any handle on it would release the lock of the whole process.
 */
export type InstanceLock = {
  /** Whether the last server on this folder is known to have closed its database. */
  readonly wasStoppedCleanly: boolean;
  /** False where nothing can be written in the folder, which only a server on PostgreSQL does without. */
  readonly hasFolder: boolean;
  /** Says where this server is, as soon as that is known. */
  readonly announce: (presence: Presence) => void;
  /** Marks the stop as a clean one and lets the next server in. Call it after the store is closed. */
  readonly release: () => void;
};

declare global {
  /** The dev server evaluates this module again after a change, and would meet its own lock. */
  var __FLIGHT_INSTANCES__: Map<string, InstanceLock> | undefined;
}

/** A server that is ending, or a command that is upgrading, ends within it. After it a second server is refused. */
const lockTimeoutMs = 250;
const sqliteBusy = 5;

/**
 * In place: a server must start on a full disk, which has no room for a second file. A file that a crash cut off is read as
 * missing.
 */
function writeInstance(folder: string, instance: Instance): void {
  const handle = openSync(path.join(folder, 'instance.json'), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const length = writeSync(handle, `${JSON.stringify(instance)}\n`, 0);
    ftruncateSync(handle, length);
  } finally {
    closeSync(handle);
  }
}

/** @returns undefined when another process has the lock */
function takeLock(folder: string): DatabaseSync | undefined {
  const file = path.join(folder, 'instance.lock');
  checkFile(file, 'Move it away.');
  checkFile(path.join(folder, 'instance.json'), 'Move it away.');
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const lock = new DatabaseSync(file, { timeout: lockTimeoutMs });
  try {
    // Nothing is ever written into it, so it needs no journal file.
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (readSqliteCode(error) === sqliteBusy) return undefined;
    const reason = describeError(error);
    throw new Error(`${file} is not the empty file that a server locks (${reason}). Move it away.`, { cause: error });
  }
}

function describeHolder(folder: string): string {
  const holder = readInstance(folder);
  if (holder?.state !== 'running') return 'a command that is changing the database';
  const since = new Date(holder.startedAt).toISOString();
  return `the server with process id ${holder.pid} at ${holder.origin}, running since ${since}`;
}

function createInUseError(folder: string): Error {
  return new Error(
    `The data folder ${folder} is in use by ${describeHolder(folder)}. ` +
      'Stop it first, or set FLIGHT_DATA to another folder.',
  );
}

/**
 * A platform may give a server no disk, or one that it may only read. With PostgreSQL everything that must last is there; what this
 * costs stands in docs/postgresql.md.
 */
function doWithoutFolder(folder: string): InstanceLock {
  writeLog('warn', 'no-data-folder', {
    folder,
    cost: 'an error that comes while the database is away is only in the log; source maps are cached in the temporary folder',
  });
  return {
    wasStoppedCleanly: true,
    hasFolder: false,
    announce: () => undefined,
    release: () => void instances().delete(folder),
  };
}

function instances(): Map<string, InstanceLock> {
  return (globalThis.__FLIGHT_INSTANCES__ ??= new Map());
}

/** This process's lock on `folder`; undefined in a command, and wherever another process may be the server. */
export function findInstance(folder: string): InstanceLock | undefined {
  return instances().get(folder);
}

/**
 * Makes this process the one server on `folder`, until `release` or its end. The folder is made if it is missing. A second call in
 * the same process gives the same lock. With PostgreSQL a folder that cannot be made or written is done without.
 * @throws within a second, naming the server that has the lock
 */
export function takeInstance(folder: string, presence: Presence): InstanceLock {
  const known = instances().get(folder);
  if (known) return known;
  if (readSetting('DATABASE_URL') !== undefined && !isFolderUsable(folder)) {
    const without = doWithoutFolder(folder);
    instances().set(folder, without);
    return without;
  }
  prepareFolder(folder);
  const lock = takeLock(folder);
  if (!lock) throw createInUseError(folder);
  const previous = readInstance(folder);
  const isBeside = readSetting('FLIGHT_BESIDE') !== undefined;
  let instance: Instance = {
    state: 'running',
    pid: process.pid,
    startedAt: Date.now(),
    door: '',
    isBeside,
    ...presence,
  };
  writeInstance(folder, instance);
  const taken: InstanceLock = {
    wasStoppedCleanly: previous?.state === 'stopped',
    hasFolder: true,
    announce(where) {
      instance = { ...instance, ...where };
      writeInstance(folder, instance);
    },
    release() {
      instances().delete(folder);
      writeInstance(folder, { ...instance, state: 'stopped' });
      lock.close();
    },
  };
  instances().set(folder, taken);
  return taken;
}

/** Whether a server runs on `folder`: by its lock, which a server that was killed has not got any more. Nothing is made. */
export function hasServer(folder: string): boolean {
  if (instances().has(folder)) return true;
  if (!existsSync(path.join(folder, 'instance.lock'))) return false;
  const lock = takeLock(folder);
  lock?.close();
  return lock === undefined;
}

/**
 * Runs `change` while no other process can become, or is, the server on `folder`.
 * @throws naming the server that runs
 */
export async function withoutServer<T>(folder: string, change: () => Promise<T>): Promise<T> {
  if (instances().has(folder)) return change();
  const lock = takeLock(folder);
  if (!lock) throw createInUseError(folder);
  try {
    return await change();
  } finally {
    lock.close();
  }
}
