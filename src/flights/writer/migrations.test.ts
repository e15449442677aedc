import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { flightColumns } from '../flight/flight-columns.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { createFlightWriter } from './sqlite-writer.ts';
import { latestVersion, readVersion, upgradeFlights } from './migrations.ts';
import { flightsFile, openFlightsFile, openFlightsForReading } from './open-flights.ts';

const nothing = new Uint8Array();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-migrations-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The text of the tables as builds before the steps wrote it: version 1, and what version 2 had in addition. */
function writeTables(columns = '', indexes = ''): string {
  return `
  create table flight (
    id integer primary key autoincrement,
    request_id text not null, trace_id text not null, visit text,
    kind text not null, method text not null, path text not null, query text not null, route text not null,
    build text not null, status integer not null, rendering text not null, content text not null,
    outcome text not null, started_at integer not null, first_byte_ms real, duration_ms real not null,
    bytes integer not null, kept_bytes integer not null, digests text not null,
    chunks_json text not null, elements_json text not null, elided_json text not null,
    action_id text, body_id integer references body (id), used_at integer, closed_at integer${columns}
  );
  create index flight_request on flight (substr(request_id, 1, 8));
  create index flight_trace on flight (substr(trace_id, 1, 8));
  create index flight_visit on flight (visit) where visit is not null;
  create index flight_body on flight (body_id) where body_id is not null;
  ${indexes}
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
}

const releasedTables = new Map([
  [1, writeTables()],
  [
    2,
    writeTables(
      ', hits integer not null default 1, last_at integer',
      'create index flight_counted on flight (last_at, hits) where last_at is not null;',
    ),
  ],
]);

function connect(): DatabaseSync {
  return new DatabaseSync(path.join(folder, flightsFile));
}

/** A file as a build of that version left it. */
function createFile(version: number): DatabaseSync {
  const database = connect();
  database.exec('pragma page_size = 8192; pragma auto_vacuum = incremental; pragma journal_mode = wal');
  const released = releasedTables.get(version);
  if (released === undefined) upgradeFlights(database, version);
  else database.exec(`${released} pragma user_version = ${version}`);
  return database;
}

/** Every table and index: its text without what white space does to it, and what SQLite makes of it. */
function readSchema(database: DatabaseSync): unknown {
  return database
    .prepare('select type, name, tbl_name, sql from sqlite_master order by type, name')
    .all()
    .map(({ type, name, tbl_name: table, sql }) => ({
      type,
      name,
      table,
      sql: String(sql)
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/ ?([(),]) ?/g, '$1'),
      columns: database.prepare(`select * from pragma_table_info(?)`).all(String(name)),
      parts: database.prepare(`select * from pragma_index_xinfo(?)`).all(String(name)),
    }));
}

const earlier = Array.from({ length: latestVersion - 1 }, (_, index) => index + 1);

describe('a file', () => {
  it.each(earlier)('of version %i has the tables of a new one after its upgrade', (version) => {
    const old = createFile(version);
    upgradeFlights(old);
    const fresh = new DatabaseSync(':memory:');
    upgradeFlights(fresh);
    expect(readSchema(old)).toEqual(readSchema(fresh));
    expect([readVersion(old), readVersion(fresh)]).toEqual([latestVersion, latestVersion]);
    old.close();
    fresh.close();
  });

  it.each([...releasedTables.keys()])('of version %i has the tables that were released with it', (version) => {
    const made = new DatabaseSync(':memory:');
    upgradeFlights(made, version);
    const released = createFile(version);
    expect(readSchema(made)).toEqual(readSchema(released));
    made.close();
    released.close();
  });

  it('of a later version is left as it is', () => {
    const later = createFile(latestVersion);
    later.exec(`pragma user_version = ${latestVersion + 1}`);
    expect(upgradeFlights(later)).toBe(latestVersion + 1);
    expect(readVersion(later)).toBe(latestVersion + 1);
    later.close();
  });

  it('stays at the version before a step that fails', () => {
    const broken = createFile(1);
    broken.exec('create table flight_counted (id integer)');
    expect(() => upgradeFlights(broken)).toThrow('already');
    expect(readVersion(broken)).toBe(1);
    expect(broken.prepare("select 1 from pragma_table_info('flight') where name = 'hits'").get()).toBeUndefined();
    broken.close();
  });
});

describe('a recording of version 1', () => {
  function leaveFlight(): void {
    const first = createFile(1);
    first.exec(`insert into flight values (7, 'r', 't', null, 'document', 'GET', '/', '', '/', 'b', 200, 'dynamic', 'none',
      'complete', 5, 1.5, 2.5, 10, 10, '', '[]', '[]', '[]', null, null, null, null)`);
    first.close();
  }

  it('is kept, and gone on with', () => {
    leaveFlight();
    // It is not read before its upgrade: it lacks columns.
    expect(openFlightsForReading(folder)).toBeUndefined();
    const damages: string[] = [];
    const writer = createFlightWriter({
      folder,
      bytesLimit: 1e8,
      ageMs: 1_000,
      onDamage: (reason) => damages.push(reason),
    });
    writer.write([{ head: createSampleHead({ startedAt: 9 }), payload: nothing, debug: nothing, args: nothing }]);
    writer.close();
    expect(damages).toEqual([]);
    const reader = openFlightsForReading(folder);
    expect(reader?.prepare('select id, started_at, hits, last_at from flight order by id').all()).toEqual([
      { id: 7, started_at: 5, hits: 1, last_at: null },
      { id: 8, started_at: 9, hits: 1, last_at: null },
    ]);
    reader?.close();
  });

  it('can be read in every column', () => {
    leaveFlight();
    openFlightsFile(folder).database.close();
    const reader = openFlightsForReading(folder);
    const row = reader?.prepare('select * from flight').get() ?? {};
    expect(Object.keys(row)).toEqual(flightColumns.map(({ column }) => column));
    reader?.close();
  });
});

it('the list of columns names versions in order, and gives later ones a value for old rows', () => {
  const versions = flightColumns.map(({ since }) => since);
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  const added = flightColumns.filter(({ since }) => since > 1).map(({ type }) => type);
  expect(added.filter((type: string) => type.includes('not null') && !type.includes('default'))).toEqual([]);
  expect(new Set(flightColumns.map(({ field }) => field)).size).toBe(flightColumns.length);
});
