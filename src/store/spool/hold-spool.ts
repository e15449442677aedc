import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { readSqliteCode } from '../sqlite-errors.ts';

/**
 * Which process has which spool. Each process adds to one of its own, and whoever finds one without a process writes it into the
 * database. As for the data folder (instance.ts), an exclusive SQLite transaction on an empty file beside it is the lock, which the
 * system releases however the process ends.
 */
export type HeldSpool = {
  readonly id: string;
  readonly file: string;
  /** Lets others have it. The lock's file goes with the spool's. */
  readonly release: () => void;
};

const suffix = '.spool';
const sqliteBusy = 5;

function take(folder: string, id: string): HeldSpool | undefined {
  const file = path.join(folder, `${id}${suffix}`);
  const lockFile = path.join(folder, `${id}.lock`);
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    if (readSqliteCode(error) === sqliteBusy) return undefined;
    throw error;
  }
  return {
    id,
    file,
    release() {
      if (!existsSync(file)) rmSync(lockFile, { force: true });
      lock.close();
    },
  };
}

/** Where spools are in a data folder. */
export function spoolFolder(dataFolder: string): string {
  return path.join(dataFolder, 'unwritten');
}

function listNames(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(suffix));
}

/** The files in which something waits, in a folder of spools. One without content was made, and nothing was acknowledged. */
export function listWaiting(folder: string): readonly string[] {
  const files = listNames(folder).map((name) => path.join(folder, name));
  return files.filter((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0).toSorted();
}

/** A new one, which sorts behind those that were made before. */
export function holdNewSpool(folder: string): HeldSpool {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const id = `${Date.now()}-${randomBytes(6).toString('hex')}`;
  const held = take(folder, id);
  if (!held) throw new Error(`The new spool ${id} is locked`);
  return held;
}

/** The spools that ended processes left, the oldest first. Whoever takes one releases it. */
export function* takeLeftSpools(folder: string): Generator<HeldSpool, void> {
  for (const name of listNames(folder).toSorted()) {
    const held = take(folder, name.slice(0, -suffix.length));
    if (!held) continue;
    // Another process had it until a moment ago, and has deleted it.
    if (existsSync(held.file)) yield held;
    else held.release();
  }
}
