import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { Kysely, sql, type Transaction } from 'kysely';

import { isAtLeast } from '#src/server/environment/is-at-least.mjs';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { describeError } from '#boundary';

import { checkFiles } from './check-files.ts';
import { checkInBackground } from './check-in-background.ts';
import { dataFolder, prepareFolder } from './data-folder.ts';
import { createGroupCommit, type Disk, type GroupCommit } from './group-commit.ts';
import { applicationId, createDatabase, type Inspected, inspectDatabase, makePrivate } from './database-file.ts';
import type { Engine } from './engine-of.ts';
import { type LogFile, openLog, shareSync } from './flush-log.ts';
import { findInstance, withoutServer } from './instance.ts';
import { migrate, type Migration, migrations, versionAfter } from './migrations.ts';
import { nodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Tables } from './schema.ts';
import { oncePerTurnOf } from './once-per-turn.ts';
import { canTakeError } from './probe-writing.ts';
import { indexDue } from './search-tables.ts';
import { createSpace, isNoRoom, type Space, withRoomToOpen } from './space.ts';
import { keepCopyBeforeUpgrade } from './upgrade-copy.ts';
import { timeStatement } from './statement-times.ts';
import { type DamageWatch, watchDamage } from './watch-damage.ts';

/**
 * The app's one database: a file in the data folder, or PostgreSQL where `DATABASE_URL` names it (postgres/). It is opened by the first
 * read or write, never by an import: the build imports every server module and must not leave a data folder behind.
 *
 * WAL with synchronous FULL, and a flush of our own for grouped writes. What `commit` reports as committed, and every other
 * write, survives a crash of the process and of the machine, if the disk really flushes when it says so.
 */
export type Store = {
  readonly engine: Engine;
  /**
   * For reads, and for the writes of the operator and of the app itself (sessions, deletions). They may use the room that is
   * reserved for them, and a single statement is tried again when giving up the reserve made room.
   */
  readonly db: Kysely<Tables>;
  /**
   * For writes that visitors cause, during a request: grouped, and on disk when it resolves to `committed`. Refused while there is
   * no room. Errors and reports never wait for each other; without `kind` it is an error.
   * @throws besides the database's error when the database is known to be damaged: nothing more is written into it then
   */
  readonly commit: GroupCommit['commit'];
  /**
   * For the writes of the operator that are more than one statement: one transaction, tried again as `db`'s single
   * statements are. `write` must do nothing but write to `trx`, since it may run twice.
   */
  readonly transact: <T>(write: (trx: Transaction<Tables>) => Promise<T>) => Promise<T>;
  /** The share of `FLIGHT_DATA_LIMIT` that is in use, without the free pages: 1 is all that visitors may cause. */
  readonly measureFill: () => number;
  /** `FLIGHT_DATA_LIMIT`, in bytes. */
  readonly limitBytes: number;
  /** Does everything that storing an error does, undoes it, and says whether it worked. */
  readonly checkWritable: () => Promise<Writability>;
  /** Whether other files of the data folder may grow. While the disk is full they would take the room of the reserve. */
  readonly admitsFiles: () => boolean;
  /** Calls back once, with one line for the operator, when the database turns out to be damaged; at once if it has. */
  readonly onDamage: (listener: (message: string) => void) => void;
  /** Gives pages that deletions left free back to the file system, a few at a time. PostgreSQL does it by itself. */
  readonly releasePages: () => Promise<void>;
  /**
   * Asks whether the database answers, on a connection of its own: that others use all connections says nothing of it.
   * @throws when it does not
   */
  readonly ask: () => Promise<void>;
  /** Tells reads that have waited for so long that no answer will come. For when the database is known not to answer. */
  readonly giveUpReads: (afterMs: number) => void;
  /**
   * A number that changes when another connection, of this process or of another, has committed. SQLite's takes 16 µs: a cache that
   * every request asks compares `readVersionOfTurn`. PostgreSQL's is at most half a second old, may change after a commit of this
   * store, too, and counts what is held in memory: sessions, the password, apps, keys.
   */
  readonly dataVersion: () => number;
  /** Writes what was queued, then closes. */
  readonly close: () => Promise<void>;
};

export type Writability =
  | { readonly status: 'writable' }
  | { readonly status: 'no-room' }
  | { readonly status: 'failed'; readonly reason: string };

type Steps = readonly Migration[];
type Prepared = Inspected & { readonly isCheckDue: boolean };

declare global {
  /** It survives when HMR evaluates this module again. A change of the schema needs a restart of the dev server. */
  var __FLIGHT_STORES__: Map<string, Promise<Store>> | undefined;
}

/** Older ones can lose committed pages when a checkpoint and a reset of the log coincide (fixed in 3.51.3). */
const oldestSqlite = '3.51.3';
/**
 * `node:sqlite` waits on the thread that serves pages. Only a backup, or a second server that is starting, also takes the lock,
 * and both release it soon.
 */
const busyTimeoutMs = 1_000;
/** SQLite's log grows while a reader keeps it from being reset, and keeps its size afterwards unless told otherwise. */
const logSizeLimitBytes = 16 * 1024 * 1024;
/**
 * A database up to this size is checked before it is opened: 0.15 s where the system has it in memory, 3 s on the slowest disk.
 * A larger one is checked while the server serves, unless the last stop was not clean.
 */
const checkedAtOnceBytes = 256 * 1024 * 1024;
/** SQLite's own: 8 MiB of log. */
const writtenBackPages = 1_000;
/** Ten times what a flush takes on a slow disk. */
const lateFlushMs = 100;
/** 2 MiB, as much as a batch of deletions frees: a few milliseconds. */
const pagesReleasedAtOnce = 256;

/** True when SQLite's `version` (`3.53.4`) is one this store trusts with its data. */
export function isSqliteRecent(version: string): boolean {
  return isAtLeast(version, oldestSqlite);
}

function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    const found = database.prepare('select sqlite_version() as version').get()?.['version'];
    if (typeof found !== 'string' || !isSqliteRecent(found)) {
      throw new Error(`this Node has SQLite ${found}, ${oldestSqlite} or newer is needed`);
    }
    database.exec('pragma journal_mode = wal');
    database.exec(`pragma synchronous = full; pragma journal_size_limit = ${logSizeLimitBytes}`);
    // No trigger calls a function that could do harm; a database from elsewhere gets no chance to.
    database.exec('pragma trusted_schema = off');
    // A statement with triggers can be undone. What that takes is some 100 KB for a row: in memory, not in a file for each row.
    database.exec('pragma temp_store = memory');
    return database;
  } catch (error) {
    database?.close();
    throw new Error(`The database ${file} cannot be opened: ${describeError(error)}`, { cause: error });
  }
}

/**
 * Finds or makes the file, and refuses it unchanged unless it is a whole database of ours.
 * @returns its schema version; 0 for one without tables
 */
async function prepareDatabase(folder: string, file: string, newest: number): Promise<Prepared> {
  prepareFolder(folder);
  if (!existsSync(file)) {
    await withoutServer(folder, async () => {
      if (!existsSync(file)) createDatabase(file);
    });
  }
  checkFiles(file);
  // A server that was killed may have been killed by what damaged the file. Commands leave the check to the server.
  const instance = findInstance(folder);
  const isThorough = instance?.wasStoppedCleanly === false || statSync(file).size <= checkedAtOnceBytes;
  const isServer = instance !== undefined;
  const inspected = inspectDatabase(file, isServer && isThorough, newest);
  makePrivate(file);
  return { ...inspected, isCheckDue: isServer && !isThorough };
}

/** A server of an older build must not have its tables changed under it by a command of this one. */
async function upgrade(db: Kysely<Tables>, file: string, version: number, steps: Steps): Promise<void> {
  const newest = versionAfter(steps);
  if (version === newest) return;
  await withoutServer(path.dirname(file), async () => {
    if (version > 0) await keepCopyBeforeUpgrade(file, version, newest);
    await migrate(db, steps);
  });
}

/**
 * The commit sets what is already set. So it changes nothing, and takes the same way as an error, the flush included. When the
 * disk does not answer, whoever asks gets no answer, and pages are still served.
 */
async function probeWriting(
  db: Kysely<Tables>,
  space: Space,
  damage: DamageWatch,
  commit: Store['commit'],
): Promise<Writability> {
  const reason = damage.found();
  if (reason !== undefined) return { status: 'failed', reason };
  if (!space.admitsOrdinary()) return { status: 'no-room' };
  try {
    await canTakeError(db, space);
    const result = await commit(async (trx) => {
      await sql`pragma application_id = ${sql.lit(applicationId)}`.execute(trx);
    });
    if (result === 'queue-full') return { status: 'failed', reason: 'too many writes are waiting for the disk' };
    return { status: result === 'committed' && space.admitsOrdinary() ? 'writable' : 'no-room' };
  } catch (error) {
    return isNoRoom(error) ? { status: 'no-room' } : { status: 'failed', reason: describeError(error) };
  }
}

/**
 * While a flush takes long, SQLite must not write its log back into the database: that would wait for the same disk, on the
 * thread that serves pages. The log grows meanwhile, at most by what may wait for the flush.
 */
function createDisk(database: DatabaseSync, log: LogFile): Disk {
  let syncBegan: number | undefined;
  let isWritingBack = true;
  async function sync(): Promise<void> {
    syncBegan = performance.now();
    try {
      await log.sync();
    } finally {
      syncBegan = undefined;
    }
  }
  return {
    flush: shareSync(sync),
    async withoutFlush(write) {
      const mayWriteBack = syncBegan === undefined || performance.now() - syncBegan < lateFlushMs;
      if (mayWriteBack !== isWritingBack) {
        database.exec(`pragma wal_autocheckpoint = ${mayWriteBack ? writtenBackPages : 0}`);
        isWritingBack = mayWriteBack;
      }
      database.exec('pragma synchronous = normal');
      try {
        return await write();
      } finally {
        database.exec('pragma synchronous = full');
      }
    },
  };
}

async function createStore(folder: string, steps: Steps): Promise<Store> {
  const limitBytes = readSetting('FLIGHT_DATA_LIMIT');
  const file = path.join(folder, 'flight.db');
  const { database, version, isCheckDue } = await withRoomToOpen(folder, async () => {
    const inspected = await prepareDatabase(folder, file, versionAfter(steps));
    return { ...inspected, database: openDatabase(file) };
  });
  const keepsReserve = findInstance(folder) !== undefined;
  const space = createSpace(database, folder, { keepsReserve, limitBytes });
  const damage = watchDamage(file);
  function noteError(error: unknown): boolean {
    damage.note(error);
    return space.noteError(error);
  }
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database, noteError), log: timeStatement });
  try {
    await upgrade(db, file, version, steps);
  } catch (error) {
    database.close();
    throw error;
  }
  const log = openLog(file);
  const { commit, settle } = createGroupCommit(db, space, createDisk(database, log), indexDue);
  const stopCheck = isCheckDue ? checkInBackground(file, noteError) : undefined;
  const readDataVersion = database.prepare('pragma data_version');
  return {
    engine: 'sqlite',
    db,
    async commit(write, kind, bytes, patience) {
      const reason = damage.found();
      if (reason !== undefined) throw new Error(reason);
      return commit(write, kind, bytes, patience);
    },
    async transact(write) {
      try {
        return await db.transaction().execute(write);
      } catch (error) {
        if (!isNoRoom(error)) throw error;
        return await db.transaction().execute(write);
      }
    },
    measureFill: space.measureFill,
    limitBytes,
    admitsFiles: space.admitsFiles,
    onDamage: damage.onFound,
    checkWritable: () => probeWriting(db, space, damage, commit),
    async releasePages() {
      // Run as a query this pragma frees a single page, `exec` steps it to its end. The connection is taken first, so
      // that it does not become part of somebody's transaction.
      await db.connection().execute(async () => database.exec(`pragma incremental_vacuum(${pagesReleasedAtOnce})`));
    },
    // SQLite is a part of this process.
    ask: async () => undefined,
    giveUpReads: () => undefined,
    dataVersion: () => Number(readDataVersion.get()?.['data_version']),
    async close() {
      stores().delete(folder);
      stopCheck?.();
      await settle();
      await log.close();
      await db.destroy();
      // Kysely only closes a database that it has used.
      if (database.isOpen) database.close();
    },
  };
}

function stores(): Map<string, Promise<Store>> {
  return (globalThis.__FLIGHT_STORES__ ??= new Map());
}

async function createPostgresStore(url: string): Promise<Store> {
  const { openPostgresStore } = await import('./postgres/open-postgres-store.ts');
  const isServer = findInstance(dataFolder()) !== undefined;
  return openPostgresStore(url, () => stores().delete(url), isServer);
}

/**
 * The store, opened and migrated by the first call and shared by the rest: PostgreSQL's where `DATABASE_URL` is set, else that in
 * the data folder.
 * @param folder SQLite's, whatever `DATABASE_URL` says
 * @param steps for tests; the app always runs all of them.
 * @throws with one line that says what to do, when the folder cannot be written, when the file is damaged, another
 * application's or a newer build's (it then stays as it is), or when an upgrade is due while a server runs; with PostgreSQL, whose
 * servers may be anywhere, when it is due and this process is no server. The next call tries again.
 */
export function openStore(folder?: string, steps: Steps = migrations): Promise<Store> {
  const url = folder === undefined ? readSetting('DATABASE_URL') : undefined;
  const name = url ?? folder ?? dataFolder();
  const known = stores().get(name);
  if (known) return known;
  const opening = url === undefined ? createStore(name, steps) : createPostgresStore(url);
  stores().set(name, opening);
  opening.catch(() => stores().delete(name));
  return opening;
}

/** `dataVersion`, looked at once per turn. A request that is sent after another connection's commit is read in a later turn. */
export const readVersionOfTurn = oncePerTurnOf((store: Store) => store.dataVersion());
