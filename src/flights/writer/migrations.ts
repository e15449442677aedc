import type { DatabaseSync } from 'node:sqlite';

import { ownApp } from '#src/store/own-app.ts';

import { flightColumns } from '../flight/flight-columns.ts';

/**
 * The versions of the recording's file, as numbered steps: step 1 makes the tables, each later one leads from the version
 * before it. A new file goes through all of them, so that it has the same tables as one that was upgraded.
 *
 * A column of the table `flight` is in its step by itself (flight-columns.ts says since when it is there). Here stands the
 * rest, as SQL. A step that was released never changes. It may only do what SQLite does without touching the rows, since
 * a recording is large and the server waits for it: add a column, or an index of which a `where` leaves the old rows out.
 */
const stepsInSql: ReadonlyMap<number, string> = new Map([
  // What a batch writes is pages. Our ids begin with the time (server/http/create-request-context.ts), so new ones go to the end of
  // their index. Ids that a client made land anywhere in it. The first 32 bits are enough to find an id, with a third of the
  // pages: a query names both the beginning and the whole id.
  [
    1,
    `create index flight_request on flight (substr(request_id, 1, 8));
    create index flight_trace on flight (substr(trace_id, 1, 8));
    create index flight_visit on flight (visit) where visit is not null;
    create index flight_body on flight (body_id) where body_id is not null;
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
    create index flight_digest_flight on flight_digest (flight_id);`,
  ],
  [2, 'create index flight_counted on flight (last_at, hits) where last_at is not null;'],
  // Flights of other apps alone: each of our own would otherwise cost an entry.
  // And what other processes could not keep of them.
  [
    3,
    `create index flight_app on flight (app, id) where app != '${ownApp}';
    create table loss (
      app text not null, reason text not null, count integer not null, last_time integer not null,
      primary key (app, reason)
    ) without rowid;`,
  ],
  [
    8,
    `create table forged (
      app text not null, rule text not null, advisory text not null, network text not null, status integer not null,
      count integer not null, first_at integer not null, last_at integer not null,
      path text not null, action text not null, detail text not null, body text not null,
      primary key (app, rule, advisory, network, status)
    ) without rowid;`,
  ],
  [
    9,
    `create table leak (
      app text not null, name text not null, component text not null, path text not null, route text not null,
      rule text not null, count integer not null, first_at integer not null, last_at integer not null, request_id text not null,
      primary key (app, name, component, path, route)
    ) without rowid;
    create table installed (
      app text not null, name text not null, inside text not null, version text not null, seen_at integer not null,
      primary key (app, name, inside)
    ) without rowid;`,
  ],
  [
    10,
    `create table span (
      app text not null, trace_id text not null, first text not null, encoding text not null, data blob not null,
      received_at integer not null, primary key (app, trace_id, first)
    ) without rowid;
    create index span_received on span (received_at);`,
  ],
  [
    11,
    `create table storm (
      app text not null, tab text not null, route text not null, page text not null, requests integer not null, sized integer not null,
      bytes integer not null, prefetches integer not null, prefetch_bytes integer not null, unsure integer not null,
      peak integer not null, first_at integer not null, last_at integer not null, request_id text not null,
      primary key (app, tab, route)
    ) without rowid;`,
  ],
  [
    13,
    `create table build_modules (
      app text not null, build text not null, files_json text not null, seen_at integer not null, primary key (app, build)
    ) without rowid;`,
  ],
  // Whose digests they are, and when their flights began, so that no app's hide those of another. It touches their rows: few flights
  // carry a digest.
  [
    14,
    `alter table flight_digest add column app text not null default '';
    alter table flight_digest add column started_at integer not null default 0;
    update flight_digest set (app, started_at) = (select app, started_at from flight where id = flight_id);
    create index flight_digest_app on flight_digest (app, flight_id);
    create index flight_digest_time on flight_digest (app, digest, started_at);
    create table kept (app text primary key, record text not null, told_at integer not null) without rowid;`,
  ],
  // PostgreSQL's alone (postgres/tables.ts), which counts its versions with these.
  [15, ''],
]);

/** The version that this build reads and writes. */
export const latestVersion = Math.max(...stepsInSql.keys(), ...flightColumns.map(({ since }) => since));

function writeColumnStep(version: number): string {
  const added = flightColumns.filter(({ since }) => since === version).map(({ column, type }) => `${column} ${type}`);
  if (version === 1) return `create table flight (${added.join(', ')});`;
  return added.map((definition) => `alter table flight add column ${definition};`).join(' ');
}

export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version']);
}

/**
 * Brings a file that is empty or of an earlier version to `version`, each step in a transaction of its own. A file of a later
 * version is left as it is.
 * @returns the version that the file has then
 */
export function upgradeFlights(database: DatabaseSync, version: number = latestVersion): number {
  for (let found = readVersion(database); ; found += 1) {
    if (found >= version) return found;
    const step = `${writeColumnStep(found + 1)} ${stepsInSql.get(found + 1) ?? ''}`;
    database.exec('begin immediate');
    try {
      database.exec(`${step} pragma user_version = ${found + 1}; commit`);
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }
}
