import 'server-only';

import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { Kysely, sql } from 'kysely';

import { dataFolder, prepareFolder } from './data-folder.ts';
import { type CommitResult, createGroupCommit, type Write } from './group-commit.ts';
import { migrate } from './migrations.ts';
import { nodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Tables } from './schema.ts';

/**
 * The app's one database. It is opened by the first read or write, never by an import: the build imports every server
 * module and must not leave a data folder behind.
 *
 * WAL with synchronous FULL: a transaction that was committed survives a crash of the process and of the machine, as far
 * as the disk keeps its word about flushing.
 */
export type Store = {
  /** For reads, and for writes that can wait their turn. */
  readonly db: Kysely<Tables>;
  /** For writes on the path of a request: grouped, and on disk when it resolves to `committed`. */
  readonly commit: (write: Write) => Promise<CommitResult>;
  /** Bytes of the database, its free pages included, without the write-ahead log. */
  readonly measureBytes: () => Promise<number>;
  /** Gives pages that deletions left free back to the file system, a few at a time. */
  readonly releasePages: () => Promise<void>;
  /** Writes what was queued, then closes. */
  readonly close: () => Promise<void>;
};

declare global {
  /** Survives the re-evaluation of this module by HMR. A change of the schema takes a restart of the dev server. */
  var __FLIGHT_STORES__: Map<string, Promise<Store>> | undefined;
}

/** Older ones can lose committed pages when a checkpoint and a reset of the log coincide (fixed in 3.51.3). */
const oldestSqlite = [3, 51, 3] as const;
/**
 * `node:sqlite` waits on the thread that serves pages. Nobody else writes here but a backup or a second server that is
 * just starting, and both are done within a moment.
 */
const busyTimeoutMs = 1_000;
/** SQLite's log grows while a reader keeps it from being reset, and keeps its size afterwards unless told otherwise. */
const logSizeLimitBytes = 16 * 1024 * 1024;
/** 2 MiB, as much as a batch of deletions frees: a few milliseconds. */
const pagesReleasedAtOnce = 256;

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True when SQLite's `version` (`3.53.4`) is one this store trusts with its data. */
export function isSqliteRecent(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, oldest] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0;
    if (part !== oldest) return part > oldest;
  }
  return true;
}

function openDatabase(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    const found = database.prepare('select sqlite_version() as version').get()?.['version'];
    if (typeof found !== 'string' || !isSqliteRecent(found)) {
      throw new Error(`this Node has SQLite ${found}, ${oldestSqlite.join('.')} or newer is needed`);
    }
    // Page size and auto_vacuum only count before the first table, and WAL fixes the page size: hence the order.
    database.exec('pragma page_size = 8192; pragma auto_vacuum = incremental; pragma journal_mode = wal');
    database.exec(`pragma synchronous = full; pragma journal_size_limit = ${logSizeLimitBytes}`);
    // Nothing in the schema calls functions; a database from elsewhere gets no chance to.
    database.exec('pragma trusted_schema = off');
    return database;
  } catch (error) {
    database?.close();
    throw new Error(`The database ${file} cannot be opened: ${describe(error)}`, { cause: error });
  }
}

async function createStore(folder: string): Promise<Store> {
  prepareFolder(folder);
  const database = openDatabase(path.join(folder, 'flight.db'));
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) });
  try {
    await migrate(db);
  } catch (error) {
    // Kysely only closes a database that it has used.
    if (database.isOpen) database.close();
    throw error;
  }
  const { commit, settle } = createGroupCommit(db);
  return {
    db,
    commit,
    async measureBytes() {
      const { rows } = await sql<{
        bytes: number;
      }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(db);
      return rows[0]?.bytes ?? 0;
    },
    async releasePages() {
      // Run as a query this pragma frees a single page, `exec` steps it to its end. The connection is taken first, so
      // that it does not become part of somebody's transaction.
      await db.connection().execute(async () => database.exec(`pragma incremental_vacuum(${pagesReleasedAtOnce})`));
    },
    async close() {
      stores().delete(folder);
      await settle();
      await db.destroy();
    },
  };
}

function stores(): Map<string, Promise<Store>> {
  return (globalThis.__FLIGHT_STORES__ ??= new Map());
}

/**
 * The store in `folder`, opened and migrated by the first call and shared by the rest.
 * @throws with one line that says what to do, when the folder cannot be written, the file is no database, or its schema
 * is newer than this build. The next call tries again.
 */
export function openStore(folder: string = dataFolder()): Promise<Store> {
  const known = stores().get(folder);
  if (known) return known;
  const opening = createStore(folder);
  stores().set(folder, opening);
  opening.catch(() => stores().delete(folder));
  return opening;
}
