import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { Level, Side } from '#src/store/schema.ts';

import { addActivity } from '../grouping/add-activity.ts';
import { storeEvent } from './insert-event.ts';
import { newestKept, readRank } from './thin-fault.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-thin-'));
  vi.stubEnv('FLIGHT_DATA_LIMIT', '64MiB');
  store = await openStore(folder);
  vi.unstubAllEnvs();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const error = {
  side: 'server',
  app: 'flight-recorder',
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/',
  route: '',
  request_id: '',
  trace_id: '',
  name: 'Error',
  release: 'r1',
  level: 'error' satisfies Level,
  user_key: null,
  message: 'boom',
  stack: 'x'.repeat(4_000),
  frames_json: '[]',
  component_stack: null,
  causes_json: '[]',
  bytes: 4_000,
} as const;

/** Stores errors as the server does, many to a transaction. */
async function addErrors(faults: readonly string[], from: number, of: { app?: string } = {}): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    for (const [index, fingerprint] of faults.entries()) {
      const time = from + index;
      const row = { ...error, ...of, id: `${fingerprint}.${time}`, fingerprint, time, received_at: time };
      const grouping = { fingerprint, rule: 'frames', parts: [fingerprint] } as const;
      await storeEvent(trx, store, { row, grouping, frames: [] });
    }
  });
}

async function listOrdinals(fingerprint: string): Promise<number[]> {
  const rows = await store.db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select('ordinal')
    .where('fingerprint', '=', fingerprint)
    .orderBy('received_at')
    .execute();
  return rows.map(({ ordinal }) => ordinal ?? 0);
}

async function addUntrusted(fingerprint: string, times: readonly number[], bytes = 0): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    for (const time of times) {
      const { name, message, app, level, path: at } = error;
      const texts = { app, fingerprint, name, message, level, path: at, frames_json: '[]', breadcrumbs_json: '[]' };
      const row = {
        ...texts,
        id: `untrusted.${time}`,
        side: 'browser',
        time,
        received_at: time,
        release: '',
        bytes,
      } as const;
      const grouping = { fingerprint, rule: 'frames', parts: [fingerprint] } as const;
      await storeEvent(trx, store, { row, grouping, frames: [] });
    }
  });
}

async function countOthers(fingerprint: string): Promise<number> {
  const { count } = await store.db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('fingerprint', '!=', fingerprint)
    .executeTakeFirstOrThrow();
  return count;
}

it('the rank is 0 for powers of two, and of each doubling half of the ordinals have the highest', () => {
  expect([1, 2, 4, 1024, 2 ** 40].map(readRank)).toEqual([0, 0, 0, 0, 0]);
  expect([3, 5, 6, 7, 96, 100].map(readRank)).toEqual([1, 2, 1, 2, 1, 4]);
  const ranks = Array.from({ length: 64 }, (_, index) => readRank(64 + index));
  expect([0, 1, 2, 3, 4, 5, 6].map((rank) => ranks.filter((one) => one === rank).length)).toEqual([
    1, 1, 2, 4, 8, 16, 32,
  ]);
  expect(readRank(null)).toBe(Number.POSITIVE_INFINITY);
});

function repeat(fingerprint: string, count: number): string[] {
  return Array.from({ length: count }, () => fingerprint);
}

/** Makes space short by what is counted, without writing as much. */
async function fillWith(of: Side, app: string, share: number): Promise<void> {
  const bytes = Math.round(share * store.limitBytes);
  await store.db
    .insertInto('kept_app')
    .values({ side: `event-${of}`, of_app: app, rows: 0, bytes })
    .onConflict((conflict) => conflict.columns(['side', 'of_app']).doUpdateSet({ bytes }))
    .execute();
}

it('while there is room every error stays', async () => {
  await addErrors(repeat('flood', 800), 1);
  await addUntrusted(
    'flood',
    Array.from({ length: 300 }, (_, index) => 1_000 + index),
  );
  expect(await listOrdinals('flood')).toEqual(Array.from({ length: 800 }, (_, index) => index + 1));
  const { count } = await store.db
    .selectFrom('event')
    .where('side', '=', 'browser')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(count).toBe(300);
});

/** Each is a dozen statements, and with PostgreSQL each of these is a message to the server and back. */
const flooded = { sqlite: 20_000, postgres: 8_000 } as const;

it('a flood of one fault cannot fill the database, and costs no other fault a row', { timeout: 240_000 }, async () => {
  const errors = flooded[store.engine];
  await addErrors(
    Array.from({ length: 600 }, (_, index) => `other${index % 200}`),
    1_000,
  );
  for (let stored = 0; stored < errors; stored += 1_000) {
    await addErrors(repeat('flood', 1_000), 2_000 + stored);
    // More passes through than a database of 64 MiB has room for.
    expect(store.measureFill()).toBeLessThan(0.65);
  }
  expect(await countOthers('flood')).toBe(600);
  const left = await listOrdinals('flood');
  // At the beginning and at the end all of them.
  expect(left.slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
  expect(left.slice(-newestKept)).toEqual(
    Array.from({ length: newestKept }, (_, index) => errors - newestKept + 1 + index),
  );
  // Of each doubling those 32 that stay for good are there.
  for (let start = 64; 2 * start <= errors; start *= 2) {
    const expected = Array.from({ length: 32 }, (_, index) => start + (index * start) / 32);
    expect(left).toEqual(expect.arrayContaining(expected));
  }
  const fault = await store.db.selectFrom('fault').selectAll().where('count', '>', 10).executeTakeFirstOrThrow();
  expect(fault.count).toBe(errors);
  const kept = await store.db.selectFrom('kept_fault').select('rows').where('fault', '=', fault.id).execute();
  expect(kept).toEqual([{ rows: left.length }]);
});

it('a fault with many rows is thinned in pieces, and shrinks while it occurs', async () => {
  await addErrors(repeat('flood', 2_000), 1);
  await fillWith('server', ownApp, 0.5);
  const lengths: number[] = [];
  for (let at = 0; at < 40; at += 1) {
    await addErrors(repeat('flood', 25), 10_000 + at * 25);
    lengths.push((await listOrdinals('flood')).length);
  }
  const steps = lengths.map((length, at) => length - (lengths[at - 1] ?? 2_000));
  // 25 came, and 50 went at most.
  for (const step of steps) expect(step).toBeGreaterThanOrEqual(-25);
  expect(lengths.at(-1)).toBe(1_000);
});

it('what a turn names stays, whatever its rank', async () => {
  await addErrors(repeat('flood', 99), 1);
  await fillWith('server', ownApp, 0.5);
  const { id: fault } = await store.db.selectFrom('fault').select('id').executeTakeFirstOrThrow();
  const turn = { fault, app: ownApp, time: 99, type: 'regressed', by: 'system', error: 'flood.77' } as const;
  await store.db.transaction().execute((trx) => addActivity(trx, turn));
  await addErrors(repeat('flood', 401), 100);
  const left = await listOrdinals('flood');
  expect(left).toContain(77);
  expect(left).not.toContain(75);
  expect(left).not.toContain(79);
});

it('untrusted errors are thinned from half of their share on, each side with newest ones of its own', async () => {
  await addErrors(repeat('flood', 30), 1);
  await fillWith('browser', ownApp, 0.13);
  await addUntrusted(
    'flood',
    Array.from({ length: 300 }, (_, index) => 31 + index),
  );
  const { id } = await store.db.selectFrom('fault').select('id').executeTakeFirstOrThrow();
  const kept = await store.db.selectFrom('kept_fault').select(['side', 'rows']).where('fault', '=', id).execute();
  expect(kept).toContainEqual({ side: 'server', rows: 30 });
  const untrusted = kept.find(({ side }) => side === 'browser')?.rows ?? 0;
  expect(untrusted).toBeGreaterThan(120);
  expect(untrusted).toBeLessThan(220);
});

it('untrusted errors thin no error of a server, and make no space short for them', async () => {
  await addErrors(repeat('told', 400), 1);
  const before = await listOrdinals('told');
  await fillWith('browser', ownApp, 0.9);
  await addUntrusted(
    'told',
    Array.from({ length: 1_500 }, (_, index) => 1_000 + index),
  );
  expect(await listOrdinals('told')).toEqual(before);
  await addErrors(repeat('told', 100), 10_000);
  expect(await listOrdinals('told')).toHaveLength(500);
  expect((await listOrdinals('told')).at(-1)).toBe(500);
});

it('an app that fills the database thins none of the faults of an app that has little', async () => {
  await addErrors(repeat('rare', 200), 1);
  await fillWith('server', 'shop', 0.6);
  await addErrors(repeat('rare', 200), 1_000);
  expect(await listOrdinals('rare')).toHaveLength(400);
  await addErrors(repeat('flood', 300), 2_000, { app: 'shop' });
  expect((await listOrdinals('flood')).length).toBeLessThan(250);
});
