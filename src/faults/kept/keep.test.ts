import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import { findOperator } from '#src/access/find-operator.ts';
import { hasPassword } from '#src/access/password.ts';
import { isKnownAway } from '#src/store/known-away.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { locks } from '#src/store/postgres/locks.ts';

import { startPostgres } from '../../../scripts/start-postgres.mjs';

import { isDatabaseAway, keep, keepsMeanwhile, readSpoolState, startSpool } from './keep.ts';
import type { Kept } from './kept.ts';

useOperator();

let folder: string;
let server: Awaited<ReturnType<typeof startPostgres>>;
let store: Store;
let stopSpool: () => Promise<void>;
let lines: Record<string, unknown>[];

async function start(): Promise<void> {
  store = await openStore();
  stopSpool = startSpool(store);
}

async function startServer(port?: number): Promise<void> {
  server = await startPostgres({
    folder: path.join(folder, 'postgres'),
    fsync: true,
    ...(port === undefined ? {} : { port }),
  });
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'keep-'));
  // The server runs as a user of its own.
  chmodSync(folder, 0o755);
  await startServer();
  process.env['FLIGHT_DATA'] = path.join(folder, 'data');
  mkdirSync(path.join(folder, 'data'));
  process.env['DATABASE_URL'] = server.url;
  lines = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  }
  await start();
}, 60_000);

afterEach(async () => {
  await stopSpool();
  await store.close();
  vi.restoreAllMocks();
  delete process.env['FLIGHT_DATA'];
  delete process.env['DATABASE_URL'];
  await server.stop();
  rmSync(folder, { recursive: true });
});

const understood = computeGrouping({ name: 'Error', message: 'boom', frames: [] });
const understanding = { fingerprint: understood.fingerprint, grouping: understood, frames: [] };

const texts = { name: 'Error', message: 'boom', path: '/cart', frames_json: '[]', causes_json: '[]' };

function toError(id: string, time = 1_000): Kept {
  const row = {
    ...texts,
    id,
    side: 'server',
    digest: id,
    fingerprint: understanding.fingerprint,
    time,
    received_at: 1_000,
    phase: 'rsc',
    kind: 'document',
    method: 'GET',
    request_id: '',
    trace_id: '',
    release: 'v1',
    stack: '',
    component_stack: null,
    breadcrumbs_json: '[]',
    bytes: 100,
  } as const;
  return { type: 'own', row, understanding };
}

function toUntrusted(id: string): Kept {
  const row = {
    ...texts,
    id: id,
    side: 'browser',
    fingerprint: 'f'.repeat(16),
    time: 1_000,
    received_at: 1_000,
    breadcrumbs_json: '[]',
    bytes: 100,
  } as const;
  const { grouping, frames } = understanding;
  const outcome = { source: 'client', type: 'error', reason: 'sample_rate', count: 1 } as const;
  return {
    type: 'envelope',
    app: 'flight-recorder',
    event: { row, grouping, frames, pairing: { type: 'new' } },
    feedback: [],
    outcomes: [outcome],
    receivedAt: 1_000,
  };
}

const original = Client.prototype.query;

async function readIds(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from event where side = 'server' order by rowid`.execute(
    store.db,
  );
  return rows.map(({ id }) => id);
}

async function untilBack(): Promise<void> {
  await vi.waitFor(() => expect(readSpoolState(store)).toMatchObject({ goneSince: undefined, bytes: 0 }), {
    timeout: 20_000,
    interval: 50,
  });
}

it('keeps on disk what comes while the server is away, and writes it once, in order', async () => {
  expect(await keep(toError('before'))).toMatchObject({ status: 'committed' });
  expect(isDatabaseAway()).toBe(false);
  await server.stop('immediate');
  const ids = Array.from({ length: 60 }, (_, n) => `away ${String(n).padStart(2, '0')}`);
  for (const id of ids) expect(await keep(toError(id))).toEqual({ status: 'spooled' });
  expect(await keep(toUntrusted('a'.repeat(32)))).toEqual({ status: 'spooled' });
  expect([isDatabaseAway(), keepsMeanwhile()]).toEqual([true, true]);
  expect(readSpoolState(store)).toMatchObject({ spooled: 61, goneSince: expect.any(Number) });
  await startServer(server.port);
  await untilBack();
  expect(await readIds()).toEqual(['before', ...ids]);
  const fault = await store.db
    .selectFrom('fault')
    .select(['count', 'untrusted'])
    .where('side', '=', 'server')
    .executeTakeFirst();
  expect(fault?.count).toBe(61);
  const outcomes = await store.db.selectFrom('outcome').select(['type', 'reason', 'count']).execute();
  expect(outcomes).toEqual([{ type: 'error', reason: 'sample_rate', count: 1 }]);
  await vi.waitFor(() => expect(readdirSync(path.join(folder, 'data', 'unwritten'))).toEqual([]));
  await vi.waitFor(() =>
    expect(lines.map(({ event }) => event)).toEqual(['database-gone', 'database-back', 'spool-written']),
  );
  expect(lines[2]).toMatchObject({ spooled: 61, written: 61, lost: 0 });
  expect(await keep(toError('after'))).toMatchObject({ status: 'committed' });
}, 60_000);

it('writes what the server had not committed when the connection broke', async () => {
  const client = new Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`create function break_answer() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()) where new.id = 'breaks'; return null; end $$`);
  await client.query(`create constraint trigger break_answer after insert on event deferrable initially deferred
    for each row execute function break_answer()`);
  // The transaction ends with its connection: this one did not happen.
  expect(await keep(toError('breaks'))).toEqual({ status: 'spooled' });
  await client.query('drop trigger break_answer on event');
  await untilBack();
  expect(await readIds()).toEqual(['breaks']);
  await client.end();
}, 60_000);

it('counts nothing twice that was committed and whose answer was lost', async () => {
  let losesAnswer = true;
  const query = vi.spyOn(Client.prototype, 'query').mockImplementation(async function (
    this: Client,
    ...args: unknown[]
  ) {
    const result: unknown = await Reflect.apply(original, this, args);
    if (!String(args[0]).endsWith('commit') || !losesAnswer) return result;
    losesAnswer = false;
    throw new Error('Connection terminated unexpectedly');
  });
  expect(await keep(toUntrusted('a'.repeat(32)))).toEqual({ status: 'spooled' });
  query.mockRestore();
  await untilBack();
  const { reason: _reason, ...counted } = await store.db
    .selectFrom('outcome')
    .select(['reason', 'count'])
    .executeTakeFirstOrThrow();
  expect(counted).toEqual({ count: 1 });
  expect(await store.db.selectFrom('event').where('side', '=', 'browser').select('id').execute()).toHaveLength(1);
  expect(readSpoolState(store)).toMatchObject({ spooled: 1, written: 1 });
}, 60_000);

/** Another server has the turn to write and does not give it back: nothing is committed, and every question is answered. */
async function holdTurn(): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`begin; select pg_advisory_xact_lock(${locks.write})`);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

it('keeps on disk what the database takes too long for, more than may wait for it, and counts each once', async () => {
  const giveTurn = await holdTurn();
  const began = performance.now();
  // 200 untrusted errors may wait at once.
  const ids = Array.from({ length: 300 }, (_, n) => String(n).padStart(32, '0'));
  const kept = await Promise.all(ids.map((id) => keep(toUntrusted(id))));
  expect(new Set(kept.map(({ status }) => status))).toEqual(new Set(['spooled']));
  expect(performance.now() - began).toBeLessThan(2_500);
  expect(isDatabaseAway()).toBe(false);
  await giveTurn();
  await untilBack();
  const fault = await store.db.selectFrom('fault').select('untrusted').executeTakeFirst();
  expect(fault?.untrusted).toBe(300);
  const outcomes = await store.db.selectFrom('outcome').select(['type', 'count']).execute();
  expect(outcomes).toEqual([{ type: 'error', count: 300 }]);
  // The file is closed after its last record is in the database.
  await vi.waitFor(() => expect(lines.map(({ event }) => event)).toEqual(['spool-written']));
  expect(await keep(toUntrusted('a'.repeat(32)))).toMatchObject({ status: 'committed' });
}, 60_000);

it('keeps on disk what was given up while it was written, and stores it when that writing fails', async () => {
  const giveTurn = await holdTurn();
  const late = keep(toUntrusted('b'.repeat(32)));
  expect(await late).toEqual({ status: 'spooled' });
  // The transaction that waits for the turn ends, as if the database had undone it.
  await sql`select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'flight-recorder errors'`.execute(
    store.db,
  );
  await giveTurn();
  await untilBack();
  expect(await store.db.selectFrom('event').where('side', '=', 'browser').select('id').execute()).toEqual([
    { id: 'b'.repeat(32) },
  ]);
}, 60_000);

/** Nobody can connect any more; connections that are there go on. */
async function admit(isAdmitted: boolean): Promise<void> {
  const client = new Client({ connectionString: server.urlOf('template1') });
  await client.connect();
  await client.query(`alter database postgres allow_connections ${isAdmitted}`);
  await client.end();
}

it('keeps what comes when no connection can be made, also when that is the first that is noticed', async () => {
  await admit(false);
  expect(await keep(toError('refused'))).toEqual({ status: 'spooled' });
  expect(lines[0]).toMatchObject({
    event: 'database-gone',
    reason: expect.stringContaining('database "postgres" is not currently accepting connections'),
  });
  await admit(true);
  await untilBack();
  expect(await readIds()).toEqual(['refused']);
}, 60_000);

it('gives up no record for what the server cannot do at the moment', async () => {
  await sql`create function cannot() returns trigger language plpgsql as $$
    begin raise 'out of memory' using errcode = '53200'; end $$`.execute(store.db);
  await sql`create trigger cannot before insert on event for each row execute function cannot()`.execute(store.db);
  await server.stop('immediate');
  for (const id of ['one', 'two']) expect(await keep(toError(id))).toEqual({ status: 'spooled' });
  await startServer(server.port);
  await vi.waitFor(
    () => expect(lines.at(-1)).toMatchObject({ event: 'database-gone', reason: 'out of memory' }),
    20_000,
  );
  await sql`drop trigger cannot on event`.execute(store.db);
  await untilBack();
  expect(await readIds()).toEqual(['one', 'two']);
  expect(readSpoolState(store)).toMatchObject({ written: 2, refused: 0 });
}, 60_000);

it('does not take a server for gone whose connections are all in use, and writes meanwhile', async () => {
  const slow = Array.from({ length: 5 }, () => sql`select pg_sleep(6)`.execute(store.db));
  const waiting = sql`select 1`.execute(store.db);
  const began = performance.now();
  expect(await keep(toError('meanwhile'))).toMatchObject({ status: 'committed' });
  expect(performance.now() - began).toBeLessThan(3_000);
  await expect(waiting).rejects.toThrow('no connection to the database became free in time');
  await Promise.all(slow);
  expect(isDatabaseAway()).toBe(false);
  expect(lines.filter(({ event }) => String(event).startsWith('database'))).toEqual([]);
  expect(await readIds()).toEqual(['meanwhile']);
}, 60_000);

it('is written by the next process when this one ends before', async () => {
  await server.stop('immediate');
  expect(await keep(toError('left'))).toEqual({ status: 'spooled' });
  await stopSpool();
  await startServer(server.port);
  startSpool(store);
  await vi.waitFor(async () => expect(await readIds()).toEqual(['left']), { timeout: 20_000 });
}, 60_000);

it('is in the log alone where there is no disk', async () => {
  writeFileSync(path.join(folder, 'data', 'unwritten'), '');
  await server.stop('immediate');
  await expect(keep(toError('a'))).rejects.toThrow('EEXIST');
  expect([isDatabaseAway(), keepsMeanwhile()]).toEqual([true, false]);
  await startServer(server.port);
  await untilBack();
}, 60_000);

it('counts a record that the database refuses, and goes on with the others', async () => {
  await server.stop('immediate');
  // PostgreSQL wants a whole number.
  const bad = toError('bad', 0.5);
  for (const kept of [toError('one'), bad, toError('three')]) expect(await keep(kept)).toEqual({ status: 'spooled' });
  await startServer(server.port);
  await untilBack();
  expect(await readIds()).toEqual(['one', 'three']);
  expect(await store.db.selectFrom('outcome').select(['reason', 'count']).execute()).toEqual([
    { reason: 'spool_refused', count: 1 },
  ]);
  await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ event: 'spool-written', written: 2, lost: 1 }));
}, 60_000);

/** All processes of the server stop where they are: connections stay open, and nobody answers. */
function freezeServer(signal: 'SIGSTOP' | 'SIGCONT'): void {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
  for (const pid of [server.pid, ...stdout.trim().split(/\s+/).map(Number)]) if (pid) process.kill(pid, signal);
}

it('tells whoever reads that no answer comes, long before the driver would', async () => {
  await sql`select 1`.execute(store.db);
  freezeServer('SIGSTOP');
  try {
    const began = performance.now();
    const single = sql`select 1`.execute(store.db);
    const transaction = store.db
      .transaction()
      .setAccessMode('read only')
      .execute((trx) => sql`select 1`.execute(trx));
    // All connections are in use: these wait for one.
    const more = Array.from({ length: 8 }, () => sql`select 1`.execute(store.db));
    const asked = [single, transaction, ...more];
    const results = await Promise.allSettled(asked);
    expect(results.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'));
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(isDatabaseAway()).toBe(true);
    // As does whoever comes later, and asks all the same.
    const later = performance.now();
    await expect(sql`select 1`.execute(store.db)).rejects.toThrow();
    expect(performance.now() - later).toBeLessThan(8_000);
    expect(await hasPassword()).toBe(true);
    expect(await findOperator(`flight_session=${'a'.repeat(43)}`)).toBe(undefined);
  } finally {
    freezeServer('SIGCONT');
  }
  await untilBack();
  expect(isKnownAway(store)).toBe(false);
  expect(await hasPassword()).toBe(false);
}, 60_000);

it('is told by a server on SQLite, which does not read what a server on PostgreSQL left', async () => {
  delete process.env['DATABASE_URL'];
  const waiting = path.join(folder, 'data', 'unwritten', '1-a.spool');
  const sqlite = await openStore();
  try {
    await startSpool(sqlite)();
    expect(lines.map((line) => line['event'])).not.toContain('spool-waits-for-postgresql');
    mkdirSync(path.dirname(waiting), { recursive: true });
    writeFileSync(waiting, 'a line');
    await startSpool(sqlite)();
    expect(lines).toContainEqual(expect.objectContaining({ event: 'spool-waits-for-postgresql', files: [waiting] }));
  } finally {
    await sqlite.close();
  }
});
