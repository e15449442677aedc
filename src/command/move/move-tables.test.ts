import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';

import { Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';

import { startPostgres } from '../../../scripts/start-postgres.mjs';

import { flightsFile } from '#src/flights/writer/open-flights.ts';
import { versionAfter } from '#src/store/migrations.ts';
import { migrate, steps } from '#src/store/postgres/migrate.ts';
import { openPool } from '#src/store/postgres/open-pool.ts';
import { openPostgresStore } from '#src/store/postgres/open-postgres-store.ts';
import { postgresDialect } from '#src/store/postgres/postgres-dialect.ts';
import type { Tables } from '#src/store/schema.ts';

import { fillFolder } from './testing/fill-tables.ts';
import { leftTables, movedTables } from './moved-tables.ts';
import { moveMaps } from './move-maps.ts';
import { moveTables, type Tell } from './move-tables.ts';
import { openPostgresSource, openPostgresTarget } from './open-postgres-side.ts';
import { openSqliteSource, openSqliteTarget } from './open-sqlite-side.ts';

type Server = Awaited<ReturnType<typeof startPostgres>>;

let server: Server;
let folder: string;
let from: string;
let databases = 0;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

afterAll(() => server.stop());

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'move-'));
  from = path.join(folder, 'from');
});

afterEach(() => rmSync(folder, { recursive: true }));

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function makeDatabase(): Promise<string> {
  databases += 1;
  const name = `move_${process.pid}_${databases}`;
  await ask(server.url, `create database ${name}`);
  return server.urlOf(name);
}

type Dump = Readonly<Record<string, readonly unknown[]>>;

/** What PostgreSQL cannot hold stands for the same on both sides. */
function toPlain(row: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(row).replaceAll(String.raw`\u0000`, '\uFFFD'));
}

/** All rows of all tables but those that are not moved. A flight's body is in its row. */
function dump(at: string): Dump {
  const all: Record<string, readonly unknown[]> = {};
  for (const name of ['flight.db', flightsFile]) {
    const database = new DatabaseSync(path.join(at, name), { readOnly: true });
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    for (const { name: table } of tables) {
      if (leftTables.has(String(table)) || /^(?:sqlite_|search_text)/.test(String(table))) continue;
      all[String(table)] = database
        .prepare(selectAll(String(table)))
        .all()
        .map(toPlain);
    }
    database.close();
  }
  return all;
}

function selectAll(table: string): string {
  if (table.startsWith('kept_')) return `select * from ${table} where rows <> 0 order by 1, 2`;
  if (table === 'body') {
    return 'select hash, bytes, encoding, data from body where id in (select body_id from flight) order by hash';
  }
  if (table !== 'flight') return `select * from ${table} order by 1, 2`;
  const whole = 'cast(round(started_at) as integer) as started_at';
  return `select flight.*, ${whole}, null as body_id, hash from flight left join body on body.id = body_id order by flight.id`;
}

function hashFiles(at: string): Record<string, string> {
  const files = readdirSync(at).filter((name) => name.endsWith('.db'));
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(at, name)))
        .digest('hex'),
    ]),
  );
}

async function toPostgres(url: string): Promise<void> {
  const source = openSqliteSource(from);
  const target = await openPostgresTarget(url);
  await moveTables(source, target, () => undefined);
  await target.finish();
  await source.close();
}

async function toFolder(url: string, to: string): Promise<void> {
  const source = await openPostgresSource(url);
  const target = await openSqliteTarget(to);
  await moveTables(source, target, () => undefined);
  await target.finish();
  await source.close();
}

it('brings every row to PostgreSQL and back, and changes no source', async () => {
  await fillFolder(from, { rows: 120, flights: 60 });
  const before = hashFiles(from);
  const url = await makeDatabase();
  await toPostgres(url);
  const to = path.join(folder, 'to');
  await toFolder(url, to);
  expect(hashFiles(from)).toEqual(before);
  expect(readdirSync(to).toSorted()).toEqual(['flight.db', 'flights.db']);
  expect(dump(to)).toEqual(dump(from));
}, 60_000);

/** As `move` in a process of its own, which is killed when it has begun with a table. */
async function moveAndKill(url: string, table: string): Promise<void> {
  const script = `
    const { openSqliteSource } = await import(${JSON.stringify(path.join(import.meta.dirname, 'open-sqlite-side.ts'))});
    const { openPostgresTarget } = await import(${JSON.stringify(path.join(import.meta.dirname, 'open-postgres-side.ts'))});
    const { moveTables } = await import(${JSON.stringify(path.join(import.meta.dirname, 'move-tables.ts'))});
    const target = await openPostgresTarget(${JSON.stringify(url)});
    await moveTables(openSqliteSource(${JSON.stringify(from)}), target, (step, name) => {
      if (name === ${JSON.stringify(table)}) process.kill(process.pid, 'SIGKILL');
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => (errors += String(text)));
  const [, signal] = await once(child, 'close');
  expect([signal, errors]).toEqual(['SIGKILL', '']);
}

it.each(['event', 'flight', 'kept_app'])(
  'leaves a database that nothing uses when it was killed in the middle of %s',
  { timeout: 60_000 },
  async (table) => {
    await fillFolder(from, { rows: 120, flights: 60 });
    const url = await makeDatabase();
    await moveAndKill(url, table);
    await expect(openPostgresSource(url)).rejects.toThrow('is not finished');
    await expect(openPostgresTarget(url)).rejects.toThrow('was interrupted. Drop that database');
    await expect(openPostgresStore(url)).rejects.toThrow('is not finished');
  },
);

it('begins anew in a folder where one was interrupted', { timeout: 60_000 }, async () => {
  await fillFolder(from, { rows: 120, flights: 60 });
  const url = await makeDatabase();
  await toPostgres(url);
  const to = path.join(folder, 'to');
  const [source, begun] = [await openPostgresSource(url), await openSqliteTarget(to)];
  await moveTables(source, begun, () => undefined);
  await begun.close();
  await source.close();
  // When it put its files in their places: the first of the two was there.
  copyFileSync(path.join(to, 'moving', flightsFile), path.join(to, flightsFile));
  await toFolder(url, to);
  expect(readdirSync(to).toSorted()).toEqual(['flight.db', 'flights.db']);
  expect(dump(to)).toEqual(dump(from));
});

it('refuses a target that has other data', { timeout: 60_000 }, async () => {
  await fillFolder(from, { rows: 10, flights: 10 });
  const url = await makeDatabase();
  await toPostgres(url);
  await expect(openPostgresTarget(url)).rejects.toThrow('has data already: the table app has rows');
  await expect(openSqliteTarget(from)).rejects.toThrow('has data already: there is flight.db');
  const flightsAlone = path.join(folder, 'flights-alone');
  mkdirSync(flightsAlone, { mode: 0o700 });
  copyFileSync(path.join(from, flightsFile), path.join(flightsAlone, flightsFile));
  await expect(openSqliteTarget(flightsAlone)).rejects.toThrow('has data already: there is flights.db');
});

it('says which table differs, and finishes nothing', { timeout: 60_000 }, async () => {
  await fillFolder(from, { rows: 10, flights: 10 });
  const url = await makeDatabase();
  const source = openSqliteSource(from);
  const target = await openPostgresTarget(url);
  let isChanged = false;
  const tell: Tell = (step) => {
    if (step !== 'compared' || isChanged) return;
    isChanged = true;
    const database = new DatabaseSync(path.join(from, 'flight.db'));
    database.exec("update feedback set message = 'other' where id = 'id 1 é'");
    database.close();
  };
  await expect(moveTables(source, target, tell)).rejects.toThrow('The table feedback differs: 10 rows in');
  await source.close();
  await target.close();
  await expect(openPostgresSource(url)).rejects.toThrow('is not finished');
});

it('refuses databases of another version, and a server that runs', { timeout: 60_000 }, async () => {
  await fillFolder(from, { rows: 1, flights: 1 });
  const url = await makeDatabase();
  await expect(openPostgresSource(url)).rejects.toThrow('has no tables of Flight Recorder');
  await toPostgres(url);
  const running = new Client({ connectionString: url, application_name: 'flight-recorder' });
  await running.connect();
  await expect(openPostgresSource(url)).rejects.toThrow('is in use by a server: it has 1 connections');
  await running.end();
  await ask(url, 'update schema_version set version = version + 1');
  await expect(openPostgresSource(url)).rejects.toThrow(/has schema version \d+, this build has \d+/);
  const database = new DatabaseSync(path.join(from, 'flight.db'));
  database.exec('pragma user_version = 3');
  database.close();
  expect(() => openSqliteSource(from)).toThrow('has schema version 3');
});

it('looks before it makes tables, and changes none of another version', { timeout: 60_000 }, async () => {
  const listTables = (url: string) => ask(url, "select 1 from pg_tables where schemaname = 'public'");
  const used = await makeDatabase();
  const running = new Client({ connectionString: used, application_name: 'flight-recorder' });
  await running.connect();
  await expect(openPostgresTarget(used)).rejects.toThrow('is in use by a server');
  await running.end();
  expect(await listTables(used)).toEqual([]);
  const older = await makeDatabase();
  const db = new Kysely<Tables>({ dialect: postgresDialect(openPool(older, { purpose: 'move' })) });
  await migrate(db, steps);
  await sql`update schema_version set version = ${versionAfter(steps) - 1}`.execute(db);
  await db.destroy();
  await expect(openPostgresTarget(older)).rejects.toThrow(
    `has tables of schema version ${versionAfter(steps) - 1}, this build has ${versionAfter(steps)}. Name an empty database.`,
  );
  expect(await ask(older, 'select version from schema_version')).toEqual([
    { version: String(versionAfter(steps) - 1) },
  ]);
});

it('lets no server and no command onto its source before it ends, and says when it could not', async () => {
  await fillFolder(from, { rows: 1, flights: 1 });
  const url = await makeDatabase();
  await toPostgres(url);
  const source = await openPostgresSource(url);
  await expect(openPostgresStore(url)).rejects.toThrow('`flight-recorder move` is at work on it');
  await expect(openPostgresTarget(url)).rejects.toThrow('Another move is at work on');
  await source.requireHeld();
  // One that had lost its connections when the move looked, and found them again.
  const running = new Client({ connectionString: url, application_name: 'flight-recorder' });
  await running.connect();
  await expect(source.requireHeld()).rejects.toThrow('is in use by a server');
  await running.end();
  await ask(url, "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
  await expect(source.requireHeld()).rejects.toThrow('was lost');
  await source.close();
  await (await openPostgresStore(url)).close();
}, 60_000);

it('knows every table of both databases', { timeout: 60_000 }, async () => {
  await fillFolder(from, { rows: 1, flights: 1 });
  const url = await makeDatabase();
  await toPostgres(url);
  const names = await ask(
    url,
    `select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = current_schema() and relkind in ('r', 'p') and not relispartition`,
  );
  const known = new Set([...movedTables.map(({ name }) => name), ...leftTables.keys()]);
  const found = [...names.map((row) => Object(row).name), ...Object.keys(dump(from))].map(String);
  expect(found.filter((name) => !known.has(name))).toEqual([]);
});

const otherMap = 'b'.repeat(64);

it('takes source maps along, both ways, and none that is not what its name says', async () => {
  await fillFolder(from, { rows: 1, flights: 0 });
  const json = JSON.stringify({ version: 3, mappings: '', sources: ['cart.ts'] });
  const [hash, packed] = [createHash('sha256').update(json).digest('hex'), zstdCompressSync(json)];
  const database = new DatabaseSync(path.join(from, 'flight.db'));
  const row = database.prepare('select bundle from map_file').get();
  const insert = database.prepare(
    "insert into map_file (bundle, app, release, url, debug_id, hash, bytes) values (?, ?, 'v1', '~/app.js', null, ?, 1)",
  );
  for (const [app, name] of [
    ['shop', hash],
    ['shop', otherMap],
    ['../..', hash],
  ] as const) {
    insert.run(String(row?.['bundle']), app, name);
  }
  database.close();
  mkdirSync(path.join(from, 'source-maps', 'shop'), { recursive: true });
  for (const name of [hash, otherMap]) writeFileSync(path.join(from, 'source-maps', 'shop', name), packed);
  const url = await makeDatabase();
  const [source, target] = [openSqliteSource(from), await openPostgresTarget(url)];
  await moveTables(source, target, () => undefined);
  expect(await moveMaps(source, target)).toEqual({ there: 1, missing: 0, damaged: 1 });
  await target.finish();
  await source.close();
  // What only somebody else's database has.
  await ask(
    url,
    `insert into map_content select '../..', hash, 0, parts, created, bytes from map_content where part = 0`,
  );
  await ask(
    url,
    `insert into map_content select 'shop', '${otherMap}', 0, parts, created, bytes from map_content where app = 'shop'`,
  );
  const to = path.join(folder, 'to');
  const [back, end] = [await openPostgresSource(url), await openSqliteTarget(to)];
  await moveTables(back, end, () => undefined);
  expect(await moveMaps(back, end)).toEqual({ there: 1, missing: 0, damaged: 1 });
  await end.finish();
  await back.close();
  expect(readFileSync(path.join(to, 'source-maps', 'shop', hash))).toEqual(packed);
  expect(readdirSync(path.join(to, 'source-maps'), { recursive: true }).toSorted()).toEqual(['shop', `shop/${hash}`]);
  expect(readdirSync(folder).toSorted()).toEqual(['from', 'to']);
}, 60_000);
