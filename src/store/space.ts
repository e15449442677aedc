import { closeSync, existsSync, openSync, renameSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

import { readPostgresCode } from './postgres/postgres-errors.ts';
import { readSqliteCode } from './sqlite-errors.ts';

/**
 * Keeps room for the essential writes: signing in, deleting and upgrading. What strangers can cause (reports, errors) is an
 * ordinary write, and may be refused. Two things can run out:
 *
 * - the budget, in pages: ordinary writes stop a little before the database's largest size, and the rest is for essential
 *   writes;
 * - the disk, which other programs fill too. SQLite needs room in its log even to delete. So a file of random bytes reserves
 *   some room, and is deleted when a write fails. From then on ordinary writes are refused without being tried, until there is
 *   room for the file again: they never get the reserved room.
 *
 * It recovers without a restart, when somebody makes room or retention deletes.
 *
 * Several processes of one server share the file. Whichever has no room deletes it, and the others see that it is gone.
 */
export type Space = {
  /** Whether an ordinary write may be tried now. */
  readonly admitsOrdinary: () => boolean;
  /** Whether other files of the data folder may grow: false from when the reserve was given up until it is held again. */
  readonly admitsFiles: () => boolean;
  /** Runs `writes` with the budget of ordinary writes. No other code may use the connection meanwhile. */
  readonly asOrdinary: <T>(writes: () => Promise<T>) => Promise<T>;
  /**
   * Called with every error of the database.
   * @returns true when it means that there is no room; there may be some now, so an essential write is worth a second try
   */
  readonly noteError: (error: unknown) => boolean;
  /** The share of the ordinary budget that is in use, free pages not counted: 1 is all of it. */
  readonly measureFill: () => number;
  /** All of the ordinary budget. */
  readonly limitBytes: number;
};

type State =
  | { readonly type: 'roomy' }
  | { readonly type: 'full'; readonly what: 'disk' | 'budget'; readonly tryAgainAt: number };

const mebibyte = 1024 * 1024;
/** The smallest that a file system keeps. */
const filePageBytes = 4 * 1024;
/** 10 000 sessions, or the pages that deletions rewrite. */
const essentialBytes = 4 * mebibyte;
/** Twice what SQLite's log grows to before its pages go into the database (1 000 pages of 8 KiB). */
const reserveBytes = 16 * mebibyte;
/** Short enough that a disk that was full for a moment is noticed soon; each look is cheap. */
const tryAgainMs = 2_000;

/** SQLite's code for an exhausted budget and for a full disk. */
const fullCode = 13;
/**
 * A quota, a limit on a file's size, and sometimes a full disk show as I/O errors on writing and on enlarging the log's index. A
 * broken disk gives the same errors; then, too, reports are refused and reading goes on.
 */
const diskCodes = new Set([778, 4874]);

/** PostgreSQL's for a full disk. */
const postgresFull = '53100';

/** Also when it is only the cause of `error`. */
export function isNoRoom(error: unknown): boolean {
  const code = readSqliteCode(error);
  if (code === fullCode || diskCodes.has(code) || readPostgresCode(error) === postgresFull) return true;
  return error instanceof Error && isNoRoom(error.cause);
}

function reservePath(folder: string): string {
  return path.join(folder, 'reserve');
}

/**
 * Runs `open`, whose index and log need room on a disk that may be full, and gives up the reserve for it.
 * @throws with one line for the operator when there is no room even so
 */
export async function withRoomToOpen<T>(folder: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    if (!existsSync(reservePath(folder))) {
      throw new Error(`There is no room left on the disk of the data folder ${folder}. Make some.`, { cause: error });
    }
    rmSync(reservePath(folder));
    return withRoomToOpen(folder, open);
  }
}

/**
 * Random: a file system that compresses would reserve no room for zeros. One piece is written again and again, since the server waits for
 * it at its first start. Each page of it has a number, for file systems that keep equal pages once.
 */
function writeReserve(file: string): void {
  const handle = openSync(`${file}.new`, 'w', 0o600);
  try {
    const piece = randomBytes(mebibyte);
    for (let written = 0; written < reserveBytes; written += mebibyte) {
      for (let page = 0; page < mebibyte; page += filePageBytes) piece.writeUInt32LE(written + page, page);
      writeSync(handle, piece);
    }
  } finally {
    closeSync(handle);
  }
  renameSync(`${file}.new`, file);
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** @returns whether `file` holds its room now. It is not made from the last bytes of the disk. */
function holdReserve(file: string): boolean {
  if (existsSync(file)) return true;
  if (freeBytes(path.dirname(file)) < 2 * reserveBytes) return false;
  try {
    writeReserve(file);
    return true;
  } catch {
    // There may be a quota, which statfs does not report. It is tried again later.
    rmSync(`${file}.new`, { force: true });
    return false;
  }
}

type SpaceOptions = {
  readonly keepsReserve: boolean;
  readonly limitBytes: number;
};

/**
 * @param keepsReserve true for the server; a command only gives up the server's when it needs room itself
 * @param limitBytes the database's largest size, from `FLIGHT_DATA_LIMIT`
 */
export function createSpace(database: DatabaseSync, folder: string, { keepsReserve, limitBytes }: SpaceOptions): Space {
  const reserve = reservePath(folder);

  const pageCount = database.prepare('pragma page_count');
  const freeCount = database.prepare('pragma freelist_count');
  const pageBytes = Number(database.prepare('pragma page_size').get()?.['page_size']);
  const ordinaryPages = Math.floor(limitBytes / pageBytes);
  const allPages = ordinaryPages + Math.floor(essentialBytes / pageBytes);
  function limitPages(pages: number): void {
    database.exec(`pragma max_page_count = ${pages}`);
  }

  function createFull(what: 'disk' | 'budget'): State {
    return { type: 'full', what, tryAgainAt: performance.now() + tryAgainMs };
  }

  function tryReserve(): State {
    return !keepsReserve || holdReserve(reserve) ? { type: 'roomy' } : createFull('disk');
  }

  limitPages(allPages);
  let state = tryReserve();

  function readState(): State {
    if (state.type === 'full' && performance.now() >= state.tryAgainAt) state = tryReserve();
    return state;
  }

  return {
    admitsOrdinary: () => readState().type === 'roomy',
    admitsFiles() {
      const current = readState();
      return current.type === 'roomy' || current.what === 'budget';
    },
    async asOrdinary(writes) {
      limitPages(ordinaryPages);
      try {
        return await writes();
      } finally {
        limitPages(allPages);
      }
    },
    noteError(error) {
      if (!isNoRoom(error)) return false;
      const isDisk = readSqliteCode(error) !== fullCode || freeBytes(folder) < reserveBytes;
      state = createFull(isDisk ? 'disk' : 'budget');
      // Giving up the reserve does not help when the budget is exhausted, and to make it again is expensive.
      if (isDisk) rmSync(reserve, { force: true });
      return true;
    },
    measureFill() {
      const pages = Number(pageCount.get()?.['page_count']) - Number(freeCount.get()?.['freelist_count']);
      return pages / ordinaryPages;
    },
    limitBytes,
  };
}
