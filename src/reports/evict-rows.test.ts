import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { addTurn } from './faults/add-turn.ts';
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
        .insertInto('error')
        .values({ ...row, stack: 'x'.repeat(bytes) })
        .execute();
    }
  });
}

async function addReports(fault: string, count: number, bytes: number): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    for (let ordinal = 1; ordinal <= count; ordinal += 1) {
      const time = now - 100_000 + ordinal;
      const row = { ...texts, event_id: `${fault}.${ordinal}`, time, received_at: time, fault, ordinal, bytes };
      await trx
        .insertInto('report')
        .values({ ...row, side: 'browser', breadcrumbs_json: 'x'.repeat(bytes) })
        .execute();
    }
  });
}

async function listOrdinals(table: 'error' | 'report', fault: string): Promise<number[]> {
  const rows = await store.db
    .selectFrom(table)
    .select('ordinal')
    .where('fault', '=', fault)
    .orderBy('ordinal')
    .execute();
  return rows.map(({ ordinal }) => ordinal ?? 0);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

async function keepRows(errors: number, reports = 1_000): Promise<void> {
  await enforceRetention(store, now, { errors, reports, ageMs: ageLimitMs }, 1);
}

describe('errors', () => {
  it('the fault with most rows gives first, and no fault its first occurrence', async () => {
    await addErrors('flood', 300);
    await addErrors('busy', 100);
    for (const rare of ['a', 'b', 'c']) await addErrors(rare, 1, { from: -50_000 });
    await keepRows(303);
    const left = await listOrdinals('error', 'flood');
    expect(left).toHaveLength(200);
    expect(left.slice(0, 10)).toEqual(range(1, 10));
    expect(left.slice(-50)).toEqual(range(251, 300));
    // The highest rank went first: all even ones of the last doubling are there.
    expect(left.filter((ordinal) => ordinal >= 128 && ordinal <= 250 && ordinal % 4 === 0)).toHaveLength(31);
    expect(await listOrdinals('error', 'busy')).toHaveLength(100);
    await keepRows(123);
    expect(await listOrdinals('error', 'flood')).toEqual([...range(1, 10), ...range(251, 300)]);
    expect(await listOrdinals('error', 'busy')).toEqual([...range(1, 10), ...range(51, 100)]);
    await keepRows(10);
    const [flood, busy] = [await listOrdinals('error', 'flood'), await listOrdinals('error', 'busy')];
    expect(flood.length + busy.length).toBe(7);
    expect(Math.abs(flood.length - busy.length)).toBeLessThan(3);
    // The newest of what is left.
    expect([flood.at(-1), busy.at(-1)]).toEqual([300, 100]);
    for (const rare of ['a', 'b', 'c']) expect(await listOrdinals('error', rare)).toEqual([1]);
  });

  it('what a turn names is deleted when nothing else is left', async () => {
    await addErrors('flood', 100);
    const turn = { fault: 'flood', app: 'flight-recorder', time: 1, by: 'system' } as const;
    await store.db.transaction().execute(async (trx) => {
      await addTurn(trx, { ...turn, type: 'first-seen', occurrence: 'flood.1' });
      await addTurn(trx, { ...turn, type: 'regressed', occurrence: 'flood.33' });
    });
    await keepRows(2);
    expect(await listOrdinals('error', 'flood')).toEqual([1, 33]);
    await keepRows(1);
    expect(await listOrdinals('error', 'flood')).toEqual([33]);
  });

  it('while the database is crowded, one fault of an app costs no other app and no other fault', async () => {
    await addErrors('own', 100);
    await addErrors('shop flood', 1_500, { app: 'shop' });
    await addErrors('shop rare', 2, { app: 'shop' });
    await addErrors('blog', 60, { app: 'blog' });
    expect(store.measureFill()).toBeGreaterThan(0.8);
    await enforceRetention(store, now, undefined, 1);
    expect(store.measureFill()).toBeLessThan(0.76);
    expect(await listOrdinals('error', 'own')).toHaveLength(100);
    expect(await listOrdinals('error', 'shop rare')).toHaveLength(2);
    expect(await listOrdinals('error', 'blog')).toHaveLength(60);
    const left = await listOrdinals('error', 'shop flood');
    expect(left.length).toBeLessThan(1_450);
    expect([left[0], left.at(-1)]).toEqual([1, 1_500]);
  });
});

describe('reports', () => {
  it('beyond their share: the middle of the largest fault, then the largest, first occurrences last', async () => {
    await addReports('flood', 80, 30_000);
    for (const fault of ['a', 'b', 'c']) await addReports(fault, 1, 90_000);
    await addReports('large', 60, 60_000);
    await enforceRetention(store, now, undefined, 1);
    const flood = await listOrdinals('report', 'flood');
    expect(flood).toEqual([...range(1, 10), ...range(31, 80)]);
    const large = await listOrdinals('report', 'large');
    expect(large).toContain(1);
    expect(large.length).toBeLessThan(40);
    for (const fault of ['a', 'b', 'c']) expect(await listOrdinals('report', fault)).toEqual([1]);
  });

  it('more first occurrences than fit: the largest go', async () => {
    for (let index = 0; index < 60; index += 1) await addReports(`f${index}`, 1, index < 30 ? 90_000 : 50_000);
    await enforceRetention(store, now, undefined, 1);
    const rows = await store.db.selectFrom('report').select('bytes').execute();
    expect(rows.filter(({ bytes }) => bytes === 50_000)).toHaveLength(30);
    expect(rows.length).toBeLessThan(60);
  });
});

it('counts what is kept through inserts, moves to another fault, changes of size and deletions', async () => {
  await addErrors('one', 30);
  await addErrors('two', 5, { app: 'shop' });
  await addReports('one', 7, 100);
  await store.db.updateTable('error').set({ fault: 'two' }).where('id', 'in', ['one.3', 'one.4']).execute();
  await store.db.updateTable('error').set({ fault: null }).where('id', '=', 'one.5').execute();
  await store.db.updateTable('error').set({ bytes: 10 }).where('id', '=', 'one.6').execute();
  await store.db.updateTable('error').set({ fault: 'one' }).where('id', '=', 'one.7').execute();
  await store.db.deleteFrom('report').execute();
  await store.db.deleteFrom('error').where('id', '=', 'one.8').execute();
  const { rows: faults } = await sql`select side, fault, rows from kept_fault order by side, fault`.execute(store.db);
  expect(faults).toEqual([
    { side: 'error', fault: 'one', rows: 26 },
    { side: 'error', fault: 'two', rows: 7 },
  ]);
  const { rows: apps } = await sql`select side, of_app as app, rows, bytes from kept_app order by side, of_app`.execute(
    store.db,
  );
  const { rows: counted } = await sql`select 'error' as side, app, count(*) as rows, sum(bytes) as bytes from error
    group by app order by app`.execute(store.db);
  expect(apps).toEqual([...counted, { side: 'report', app: 'flight-recorder', rows: 0, bytes: 0 }]);
});
