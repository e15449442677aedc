import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';
import type { Side } from '#src/store/schema.ts';

import { addActivity } from '../grouping/add-activity.ts';
import { ageLimitMs, enforceRetention } from './retention.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-evict-'));
  vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
  store = await openStore(folder);
  vi.unstubAllEnvs();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

const now = Date.now();
const texts = {
  fingerprint: 'f',
  name: 'Error',
  message: 'boom',
  path: '/',
  frames_json: '[]',
  causes_json: '[]',
} as const;
const error = {
  ...texts,
  side: 'server',
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  request_id: '',
  trace_id: '',
  release: '',
} as const;

/** Rows `<fault>.1` …, the oldest first, as if none of them had been thinned. */
async function addErrors(fault: string, count: number, { app = 'flight-recorder', bytes = 8_000, from = 0 } = {}) {
  await store.db.transaction().execute(async (trx) => {
    for (let ordinal = 1; ordinal <= count; ordinal += 1) {
      const time = now - 100_000 + from + ordinal;
      const row = { ...error, id: `${fault}.${ordinal}`, time, received_at: time, app, fault, ordinal, bytes };
      await trx
        .insertInto('event')
        .values({ ...row, stack: 'x'.repeat(bytes) })
        .execute();
    }
  });
}

async function addUntrusted(fault: string, count: number, bytes: number): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    for (let ordinal = 1; ordinal <= count; ordinal += 1) {
      const time = now - 100_000 + ordinal;
      const row = { ...texts, id: `${fault}.${ordinal}`, time, received_at: time, fault, ordinal, bytes };
      await trx
        .insertInto('event')
        .values({ ...row, side: 'browser', breadcrumbs_json: 'x'.repeat(bytes) })
        .execute();
    }
  });
}

async function listOrdinals(side: Side, fault: string): Promise<number[]> {
  const rows = await store.db
    .selectFrom('event')
    .where('side', '=', side)
    .select('ordinal')
    .where('fault', '=', fault)
    .orderBy('ordinal')
    .execute();
  return rows.map(({ ordinal }) => ordinal ?? 0);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

async function keepRows(errors: number, untrusted = 1_000): Promise<void> {
  await enforceRetention(store, now, { errors, untrusted, ageMs: ageLimitMs }, 1);
}

describe('errors', () => {
  it('the fault with most rows gives first, and no fault its first error', async () => {
    await addErrors('flood', 300);
    await addErrors('busy', 100);
    for (const rare of ['a', 'b', 'c']) await addErrors(rare, 1, { from: -50_000 });
    await keepRows(303);
    const left = await listOrdinals('server', 'flood');
    expect(left).toHaveLength(200);
    expect(left.slice(0, 10)).toEqual(range(1, 10));
    expect(left.slice(-50)).toEqual(range(251, 300));
    // The highest rank went first: all even ones of the last doubling are there.
    expect(left.filter((ordinal) => ordinal >= 128 && ordinal <= 250 && ordinal % 4 === 0)).toHaveLength(31);
    expect(await listOrdinals('server', 'busy')).toHaveLength(100);
    await keepRows(123);
    expect(await listOrdinals('server', 'flood')).toEqual([...range(1, 10), ...range(251, 300)]);
    expect(await listOrdinals('server', 'busy')).toEqual([...range(1, 10), ...range(51, 100)]);
    await keepRows(10);
    const [flood, busy] = [await listOrdinals('server', 'flood'), await listOrdinals('server', 'busy')];
    expect(flood.length + busy.length).toBe(7);
    expect(Math.abs(flood.length - busy.length)).toBeLessThan(3);
    // The newest of what is left.
    expect([flood.at(-1), busy.at(-1)]).toEqual([300, 100]);
    for (const rare of ['a', 'b', 'c']) expect(await listOrdinals('server', rare)).toEqual([1]);
  });

  it('what a turn names is deleted when nothing else is left', async () => {
    await addErrors('flood', 100);
    const turn = { fault: 'flood', app: 'flight-recorder', time: 1, by: 'system' } as const;
    await store.db.transaction().execute(async (trx) => {
      await addActivity(trx, { ...turn, type: 'first-seen', error: 'flood.1' });
      await addActivity(trx, { ...turn, type: 'regressed', error: 'flood.33' });
    });
    await keepRows(2);
    expect(await listOrdinals('server', 'flood')).toEqual([1, 33]);
    await keepRows(1);
    expect(await listOrdinals('server', 'flood')).toEqual([33]);
  });

  it('while the database is crowded, one fault of an app costs no other app and no other fault', async () => {
    await addErrors('own', 100);
    await addErrors('shop flood', 1_500, { app: 'shop' });
    await addErrors('shop rare', 2, { app: 'shop' });
    await addErrors('blog', 60, { app: 'blog' });
    expect(store.measureFill()).toBeGreaterThan(0.8);
    await enforceRetention(store, now, undefined, 1);
    expect(store.measureFill()).toBeLessThan(0.76);
    expect(await listOrdinals('server', 'own')).toHaveLength(100);
    expect(await listOrdinals('server', 'shop rare')).toHaveLength(2);
    expect(await listOrdinals('server', 'blog')).toHaveLength(60);
    const left = await listOrdinals('server', 'shop flood');
    expect(left.length).toBeLessThan(1_450);
    expect([left[0], left.at(-1)]).toEqual([1, 1_500]);
  });
});

describe('untrusted', () => {
  it('beyond their share: the middle of the largest fault, then the largest, first errors last', async () => {
    await addUntrusted('flood', 80, 30_000);
    for (const fault of ['a', 'b', 'c']) await addUntrusted(fault, 1, 90_000);
    await addUntrusted('large', 60, 60_000);
    await enforceRetention(store, now, undefined, 1);
    const flood = await listOrdinals('browser', 'flood');
    expect(flood).toEqual([...range(1, 10), ...range(31, 80)]);
    const large = await listOrdinals('browser', 'large');
    expect(large).toContain(1);
    expect(large.length).toBeLessThan(40);
    for (const fault of ['a', 'b', 'c']) expect(await listOrdinals('browser', fault)).toEqual([1]);
  });

  it('more first errors than fit: the largest go', async () => {
    for (let index = 0; index < 60; index += 1) await addUntrusted(`f${index}`, 1, index < 30 ? 90_000 : 50_000);
    await enforceRetention(store, now, undefined, 1);
    const rows = await store.db.selectFrom('event').where('side', '=', 'browser').select('bytes').execute();
    expect(rows.filter(({ bytes }) => bytes === 50_000)).toHaveLength(30);
    expect(rows.length).toBeLessThan(60);
  });
});

it('counts what is kept through inserts, moves to another fault, changes of size and deletions', async () => {
  await addErrors('one', 30);
  await addErrors('two', 5, { app: 'shop' });
  await addUntrusted('one', 7, 100);
  await store.db
    .updateTable('event')
    .where('side', '=', 'server')
    .set({ fault: 'two' })
    .where('id', 'in', ['one.3', 'one.4'])
    .execute();
  await store.db
    .updateTable('event')
    .where('side', '=', 'server')
    .set({ fault: null })
    .where('id', '=', 'one.5')
    .execute();
  await store.db
    .updateTable('event')
    .where('side', '=', 'server')
    .set({ bytes: 10 })
    .where('id', '=', 'one.6')
    .execute();
  await store.db
    .updateTable('event')
    .where('side', '=', 'server')
    .set({ fault: 'one' })
    .where('id', '=', 'one.7')
    .execute();
  await store.db.deleteFrom('event').where('side', '=', 'browser').execute();
  await store.db.deleteFrom('event').where('side', '=', 'server').where('id', '=', 'one.8').execute();
  const { rows: faults } = await sql`select side, fault, rows from kept_fault order by side, fault`.execute(store.db);
  expect(faults).toEqual([
    { side: 'server', fault: 'one', rows: 26 },
    { side: 'server', fault: 'two', rows: 7 },
  ]);
  const { rows: apps } = await sql`select side, of_app as app, rows, bytes from kept_app order by side, of_app`.execute(
    store.db,
  );
  const { rows: counted } =
    await sql`select 'event-server' as side, app, count(*) as rows, sum(bytes) as bytes from event
    where side = 'server' group by app order by app`.execute(store.db);
  expect(apps).toEqual([{ side: 'event-browser', app: 'flight-recorder', rows: 0, bytes: 0 }, ...counted]);
});
