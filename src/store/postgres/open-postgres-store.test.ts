import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { databaseOf } from '../../../e2e/testing/postgres/databases.ts';
import type { Store } from '../open-store.ts';
import { openWhenThere } from '../open-when-there.ts';
import { versionAfter } from '../migrations.ts';
import type { NewEvent } from '../schema.ts';
import { migrate, refuseOldServer, steps } from './migrate.ts';
import { openPostgresStore } from './open-postgres-store.ts';

let folder: string;
let url: string;
let opened: Store[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-postgres-'));
  url = await databaseOf(folder);
  opened = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const store of opened) await store.close();
  rmSync(folder, { recursive: true });
});

async function open(address: string = url): Promise<Store> {
  const store = await openPostgresStore(address);
  opened.push(store);
  return store;
}

const session = {
  id: 's1',
  created: 1,
  last_seen: 1,
  expires: 2,
  opened_by: 'password',
  user_agent: '',
  address: '',
} as const;

function toError(id: string, more: Partial<NewEvent> = {}): NewEvent {
  return {
    id,
    side: 'server',
    digest: id,
    fingerprint: 'h1',
    time: 1,
    received_at: 1,
    phase: 'rsc',
    kind: 'document',
    method: 'GET',
    path: '/',
    request_id: '',
    trace_id: '',
    release: '',
    name: 'Error',
    message: '',
    stack: '',
    frames_json: '[]',
    component_stack: null,
    causes_json: '[]',
    fault: 'f1',
    ordinal: 1,
    bytes: 10_000,
    ...more,
  };
}

async function readCounters({ db }: Store): Promise<unknown> {
  const apps = await db.selectFrom('kept_app').selectAll().orderBy('side').execute();
  const faults = await db.selectFrom('kept_fault').selectAll().orderBy('fault').execute();
  return [
    apps.map(({ side, of_app, rows, bytes }) => `${side} ${of_app} ${rows} ${bytes}`),
    faults.map(({ fault, rows }) => `${fault} ${rows}`),
  ];
}

describe('tables', () => {
  it('are made once where several instances start at the same time', async () => {
    const fresh = await databaseOf(path.join(folder, 'fresh'));
    const store = await open(fresh);
    for (const text of ['drop schema public cascade', 'create schema public']) await sql.raw(text).execute(store.db);
    const [one, other] = await Promise.all([open(fresh), open(fresh)]);
    expect(await one.checkWritable()).toEqual({ status: 'writable' });
    expect(await other.checkWritable()).toEqual({ status: 'writable' });
  });

  it('of a newer build are refused, with both versions, and stay as they are', async () => {
    const { db } = await open();
    await sql`update schema_version set version = 99`.execute(db);
    try {
      await expect(openPostgresStore(url)).rejects.toThrow(
        `schema version 99, this build knows up to ${versionAfter(steps)}. Start the newer build again`,
      );
    } finally {
      await sql`update schema_version set version = ${versionAfter(steps)}::bigint`.execute(db);
    }
  });

  it('are changed by each new step once, together with the version', async () => {
    const { db } = await open();
    const up = vi.fn(async () => undefined);
    const failing = vi.fn(async () => Promise.reject(new Error('a crash')));
    const step = (work: () => Promise<void>) => ({ name: 'new', up: work });
    await expect(migrate(db, [...steps, step(up), step(failing)])).rejects.toThrow('a crash');
    await migrate(db, [...steps, step(up)]);
    expect([up.mock.calls.length, failing.mock.calls.length]).toEqual([1, 1]);
    await expect(migrate(db)).rejects.toThrow(`schema version ${versionAfter(steps) + 1}`);
    await sql`update schema_version set version = ${versionAfter(steps)}::bigint`.execute(db);
  });
});

describe('a database that cannot be used', () => {
  it('is named without the password', async () => {
    const secret = url.replace(/\/\/[^@]*@[^/]*/, '//somebody:hunter2@127.0.0.1:1');
    const failure = openPostgresStore(secret);
    await expect(failure).rejects.toThrow(
      /^The database postgres:\/\/127\.0\.0\.1:1\/\w+ cannot be used: .*ECONNREFUSED/,
    );
    await expect(failure).rejects.not.toThrow('hunter2');
  });

  it('because it is not there is not waited for at the start', async () => {
    const missing = vi.fn(() => openPostgresStore(url.replace(/\/[^/]*$/, '/not_there')));
    await expect(openWhenThere(missing, { waitMs: 5_000, pauseMs: 1 })).rejects.toThrow(
      /^The database \S+ cannot be used: database "not_there" does not exist$/,
    );
    expect(missing).toHaveBeenCalledTimes(1);
  });

  it('is one of an old server', async () => {
    const { db } = await open();
    await expect(refuseOldServer(db)).resolves.toBeUndefined();
    await expect(refuseOldServer(db, 99)).rejects.toThrow(/^it is PostgreSQL \d+; 99 or newer is needed$/);
  });
});

describe('how much is kept', () => {
  it('is known as soon as something was stored or deleted, in whatever way', async () => {
    vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
    const store = await open();
    const measure = () => Math.round(store.measureFill() * store.limitBytes);
    expect(
      await store.commit(async (trx) => void (await trx.insertInto('event').values(toError('e1')).execute())),
    ).toBe('committed');
    expect(measure()).toBe(11_024);
    await store.transact(async (trx) => void (await trx.insertInto('event').values(toError('e2')).execute()));
    expect(measure()).toBe(22_048);
    await store.db.deleteFrom('event').where('side', '=', 'server').where('id', '=', 'e1').execute();
    expect(measure()).toBe(11_024);
  });

  it('is all of what all instances keep, and ends what visitors cause', async () => {
    vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
    const [one, other] = [await open(), await open()];
    await other.db
      .insertInto('event')
      .values(toError('e1', { bytes: 16 * 2 ** 20 }))
      .execute();
    await vi.waitFor(() => expect(one.measureFill()).toBeGreaterThan(1), 20_000);
    expect(await one.commit(async () => undefined)).toBe('no-room');
    expect(await one.checkWritable()).toEqual({ status: 'no-room' });
    await one.db.deleteFrom('event').where('side', '=', 'server').execute();
    expect(await one.checkWritable()).toEqual({ status: 'writable' });
  });
});

describe('counters', () => {
  it('count what is stored, moved to another app or fault, and deleted', async () => {
    const store = await open();
    const { db } = store;
    await db
      .insertInto('event')
      .values([toError('e1'), toError('e2'), toError('e3', { fault: null, ordinal: null })])
      .execute();
    expect(await readCounters(store)).toEqual([['event-server flight-recorder 3 30000'], ['f1 2']]);
    await db.updateTable('event').where('side', '=', 'server').set({ app: 'shop' }).where('id', '=', 'e1').execute();
    await db.updateTable('event').where('side', '=', 'server').set({ bytes: 5 }).where('id', '=', 'e1').execute();
    await db
      .updateTable('event')
      .where('side', '=', 'server')
      .set({ fault: 'f2' })
      .where('id', 'in', ['e2', 'e3'])
      .execute();
    expect(await readCounters(store)).toEqual([
      ['event-server flight-recorder 2 20000', 'event-server shop 1 5'],
      ['f1 1', 'f2 2'],
    ]);
    await db.updateTable('event').where('side', '=', 'server').set({ fault: null }).where('id', '=', 'e3').execute();
    await db.deleteFrom('event').where('side', '=', 'server').where('id', 'in', ['e1', 'e2']).execute();
    expect(await readCounters(store)).toEqual([['event-server flight-recorder 1 10000', 'event-server shop 0 0'], []]);
  });
});

it('learns that another instance changed who is signed in', async () => {
  const [one, other] = [await open(), await open()];
  const before = one.dataVersion();
  await other.db.insertInto('session').values(session).execute();
  await vi.waitFor(() => expect(one.dataVersion()).not.toBe(before), 20_000);
});

it('answers that a write failed when the server is gone, and does not try each write alone', async () => {
  const store = await open();
  const name = new URL(url).pathname.slice(1);
  let runs = 0;
  const writes = ['a', 'b', 'c'].map(() =>
    store.commit(async (trx) => {
      runs += 1;
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx);
    }),
  );
  const results = await Promise.allSettled(writes);
  expect([name !== '', runs, results.map(({ status }) => status)]).toEqual([true, 1, Array(3).fill('rejected')]);
  expect(await store.checkWritable()).toEqual({ status: 'writable' });
});
