import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describeError } from '#src/http/describe-error.ts';

/**
 * Recorded flights, in a file of their own beside the reports. They are many, large and expendable; reports are none of
 * these. So this file never makes a report wait, and whatever is wrong with it (damage, a later version's tables) is
 * answered by moving it aside and beginning anew, never by an app that does not start.
 *
 * WAL with synchronous NORMAL: what was committed survives a crash of the process; a power cut may take the last
 * moments. `secure_delete` overwrites what is deleted with zeros, and incremental auto-vacuum gives the pages back.
 */
export const flightsFile = 'flights.db';

/** Raised with every change of the tables below. What no upgrade leads from is moved aside. */
const version = 2;

/** From each earlier version to the next: only what SQLite does without touching the rows, since a recording is large. */
const upgrades: ReadonlyMap<number, string> = new Map([
  [
    1,
    `alter table flight add column hits integer not null default 1;
    alter table flight add column last_at integer;
    create index flight_counted on flight (last_at, hits) where last_at is not null;`,
  ],
]);

/**
 * What a batch writes is pages. Ids of ours begin with the time (http/create-request-context.ts), so that new ones go to the
 * end of their index; those that a client made land anywhere in it. The first 32 bits find them as well, with a third of the
 * pages: who looks for an id names both.
 */
const tables = `
  create table flight (
    id integer primary key autoincrement,
    request_id text not null, trace_id text not null, visit text,
    kind text not null, method text not null, path text not null, query text not null, route text not null,
    build text not null, status integer not null, rendering text not null, content text not null,
    outcome text not null, started_at integer not null, first_byte_ms real, duration_ms real not null,
    bytes integer not null, kept_bytes integer not null, digests text not null,
    chunks_json text not null, elements_json text not null, elided_json text not null,
    action_id text, body_id integer references body (id), used_at integer, closed_at integer,
    hits integer not null default 1, last_at integer
  );
  create index flight_request on flight (substr(request_id, 1, 8));
  create index flight_trace on flight (substr(trace_id, 1, 8));
  create index flight_visit on flight (visit) where visit is not null;
  create index flight_body on flight (body_id) where body_id is not null;
  create index flight_counted on flight (last_at, hits) where last_at is not null;
  create table body (
    id integer primary key, hash blob not null unique, bytes integer not null, encoding text not null, data blob not null
  );
  create table attachment (
    flight_id integer not null references flight (id) on delete cascade, role text not null, type text not null,
    bytes integer not null, kept_bytes integer not null, encoding text not null, data blob not null,
    primary key (flight_id, role)
  );
  create table flight_digest (
    digest text not null, flight_id integer not null references flight (id) on delete cascade,
    primary key (digest, flight_id)
  ) without rowid;
  create index flight_digest_flight on flight_digest (flight_id);
`;

/** The other connection holds the file for a batch of some milliseconds, or for a checkpoint of the log. */
const busyTimeoutMs = 2_000;
/** The log is checkpointed at 8 MiB (1000 pages); after a burst it shrinks back to this. */
const logSizeLimitBytes = 16 * 1024 * 1024;

/** SQLite's primary result code: an extended one has more in the upper bytes. */
function readCode(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return 0;
  const { errcode } = error;
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
export function isDamage(error: unknown): boolean {
  return [11, 26].includes(readCode(error));
}

/** SQLITE_ERROR: the tables are not those that their version has. */
function isOfOtherTables(error: unknown): boolean {
  return readCode(error) === 1;
}

function connect(file: string): DatabaseSync {
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

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version']);
}

/** @returns the version that the file has then: this build's, or one that nothing leads from */
function upgrade(database: DatabaseSync): number {
  for (;;) {
    const found = readVersion(database);
    const step = upgrades.get(found);
    if (step === undefined) return found;
    database.exec('begin immediate');
    try {
      database.exec(`${step} pragma user_version = ${found + 1}; commit`);
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }
}

/** Out of the way, in place of the one that was damaged before it: one is enough to look at, and they are large. */
function moveAside(file: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  renameSync(file, `${file}.damaged`);
}

export type OpenedFlights = {
  readonly database: DatabaseSync;
  /** Why a file that was there could not be used any more. */
  readonly movedAside: string | undefined;
};

/**
 * Opens or creates the file for the one connection that writes.
 * @throws when the folder cannot be written, or the disk is full
 */
export function openFlights(folder: string): OpenedFlights {
  const file = path.join(folder, flightsFile);
  // Payloads hold what visitors see: nobody else on the machine gets to read them.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let movedAside: string | undefined;
  if (existsSync(file)) {
    let database: DatabaseSync | undefined;
    try {
      database = connect(file);
      const found = upgrade(database);
      if (found === version) return { database, movedAside };
      if (found !== 0) movedAside = `it has version ${found} and this build knows ${version}`;
    } catch (error) {
      if (!isDamage(error) && !isOfOtherTables(error)) throw error;
      movedAside = describeError(error);
    }
    database?.close();
    moveAside(file);
  }
  const database = connect(file);
  database.exec(`begin immediate; ${tables} pragma user_version = ${version}; commit`);
  return { database, movedAside };
}

/** Moves the file away after damage showed, and begins a new one. The old connection is closed. */
export function replaceFlights(damaged: DatabaseSync, folder: string): DatabaseSync {
  damaged.close();
  moveAside(path.join(folder, flightsFile));
  return openFlights(folder).database;
}

/** A connection for reading what is there; undefined when nothing was recorded yet, or the writer has still to upgrade it. */
export function openFlightsForReading(folder: string): DatabaseSync | undefined {
  const file = path.join(folder, flightsFile);
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  database.exec('pragma query_only = on; pragma trusted_schema = off');
  if (readVersion(database) === version) return database;
  // The writer is just making it, or bringing an older one up to date: its tables come with its version, in one transaction.
  database.close();
  return undefined;
}
