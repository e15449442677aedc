import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';
import type { NewEvent } from '#src/store/schema.ts';

import { insertError } from '../app-errors/insert-error.ts';
import { evictFaults } from '../grouping/evict-faults.ts';
import { noteEvent } from '../grouping/note-row.ts';
import { insertEvent } from '../kept/insert-event.ts';
import { evictPastDigests } from './evict-past-digests.ts';
import { ageLimitMs, enforceRetention } from '../kept/retention.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-past-'));
  vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
  store = await openStore(folder);
  vi.unstubAllEnvs();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const error = {
  app: 'shop',
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/cart/7',
  route: '/cart/[id]',
  request_id: '',
  trace_id: '',
  name: 'Error',
  release: '',
  message: 'boom',
  stack: '',
  frames_json: '[]',
  causes_json: '[]',
} as const;

let written = 0;

function toRow(parts: Partial<NewEvent>) {
  written += 1;
  const time = parts.time ?? written;
  return {
    ...error,
    side: 'server',
    id: `e${written}`,
    digest: 'D-1',
    fingerprint: 'f',
    received_at: time,
    ...parts,
    time,
  } as const;
}

function group(fingerprint: string) {
  return { fingerprint, rule: 'frames', parts: [fingerprint] } as const;
}

/** @returns its fault */
async function add(parts: Partial<NewEvent> = {}): Promise<string> {
  const row = toRow(parts);
  return store.transact(async (trx) => {
    const { columns } = await noteEvent(trx, row, { grouping: group(row.fingerprint), frames: [] });
    await insertEvent(trx, { ...row, ...columns });
    return columns.fault ?? '';
  });
}

async function readPast() {
  return store.db
    .selectFrom('past_digest')
    .innerJoin('past_origin', 'past_origin.id', 'past_digest.origin')
    .select(['past_digest.digest', 'past_digest.time', 'past_digest.span', 'past_digest.count'])
    .select(['app', 'hash', 'route', 'release', 'gone'])
    .orderBy('past_digest.time')
    .orderBy('digest')
    .execute();
}

/** As retention does, a step after the other. */
async function evict(): Promise<void> {
  for (let left = 1; left > 0;) left = await evictPastDigests(store);
}

async function readPastBytes(app: string): Promise<number | undefined> {
  const { bytes } =
    (await store.db
      .selectFrom('kept_app')
      .select(['rows', 'bytes'])
      .where('side', '=', 'past-digest')
      .where('of_app', '=', app)
      .where('rows', '=', 0)
      .executeTakeFirst()) ?? {};
  return bytes;
}

async function insertAndDelete(rows: readonly NewEvent[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 100) {
    await store.db
      .insertInto('event')
      .values(rows.slice(at, at + 100))
      .execute();
    await store.db.deleteFrom('event').execute();
  }
}

describe('an error whose row is deleted', () => {
  it('leaves its digest, whoever deletes it: one row for each app, digest, fingerprint, route and release', async () => {
    await add({ time: 20_900, path: '/cart/8' });
    await add({ time: 10_100 });
    await add({ time: 15_000, digest: 'D-2' });
    await add({ time: 16_000, app: 'blog' });
    await add({ time: 17_000, fingerprint: 'g', route: '' });
    await add({ time: 18_000, release: 'shop@2' });
    await store.db.deleteFrom('event').where('side', '=', 'server').where('time', '=', 20_900).execute();
    await store.db.deleteFrom('event').where('side', '=', 'server').execute();
    const common = {
      app: 'shop',
      hash: 'f',
      digest: 'D-1',
      route: '/cart/[id]',
      release: '',
      gone: 0,
      span: 0,
      count: 1,
    };
    expect(await readPast()).toEqual([
      { ...common, time: 15, digest: 'D-2' },
      { ...common, time: 16, app: 'blog' },
      { ...common, time: 17, hash: 'g', route: '' },
      { ...common, time: 18, release: 'shop@2' },
      { ...common, time: 20, span: 10, count: 2 },
    ]);
  });

  it('shares what it was of with others, and not with too many', async () => {
    for (let index = 0; index < 40; index += 1) {
      await add({ digest: `${index}`.padStart(4_000, '0') });
      await store.db.deleteFrom('event').execute();
    }
    const origins = await store.db.selectFrom('past_origin').select(['id', 'bytes']).orderBy('id').execute();
    expect(origins.map(({ bytes }) => bytes > 60_000)).toEqual([true, true, false]);
    const total = origins.reduce((sum, { bytes }) => sum + bytes, 0);
    expect([total > 40 * 4_000, await readPastBytes('shop')]).toEqual([true, total]);
  });

  it('goes by age, and is found by the hash of its fault', async () => {
    const now = ageLimitMs + 1_000;
    const fault = await add({ time: 1 });
    await add({ time: now });
    await enforceRetention(store, now, undefined, 1);
    const [past] = await readPast();
    expect(past).toMatchObject({ digest: 'D-1', time: 0, count: 1 });
    const hash = await store.db
      .selectFrom('fault_hash')
      .select('fault')
      .where('hash', '=', past?.hash ?? '')
      .execute();
    expect(hash).toEqual([{ fault }]);
  });

  it('has nothing to leave without a digest or a fault', async () => {
    await add({ digest: null });
    const { fault: _, ...row } = { ...toRow({}), fault: null };
    await store.db.insertInto('event').values(row).execute();
    await store.db.deleteFrom('event').where('side', '=', 'server').execute();
    expect(await readPast()).toEqual([]);
  });

  it('whose fingerprint its fault does not have leaves one that it has', async () => {
    const fault = await add();
    await store.db
      .insertInto('event')
      .values({ ...toRow({ digest: 'D-9', fingerprint: 'of its reporter' }), fault, ordinal: 2 })
      .execute();
    await store.db.deleteFrom('event').where('side', '=', 'server').where('digest', '=', 'D-9').execute();
    expect(await readPast()).toMatchObject([{ digest: 'D-9', hash: 'f' }]);
  });

  it('is not gone when another row takes its place', async () => {
    await add({ id: 'log' });
    const row = toRow({ id: 'reporter' });
    const change = { row: { ...row, bytes: 1 }, replaces: 'log', grouping: group('f'), frames: [] };
    await store.transact((trx) => insertError(trx, store, change));
    const rows = await store.db.selectFrom('event').where('side', '=', 'server').select(['id', 'digest']).execute();
    expect(rows).toEqual([{ id: 'reporter', digest: 'D-1' }]);
    expect(await readPast()).toEqual([]);
  });

  it('leaves nothing with its fault', async () => {
    await add();
    await add();
    await store.db.deleteFrom('event').where('side', '=', 'server').where('id', '=', `e${written}`).execute();
    expect(await readPast()).toHaveLength(1);
    await store.db.updateTable('fault').set({ count: 0 }).execute();
    // Beyond 5 % of 16 MiB, 4 KiB each: the oldest go.
    for (let index = 0; index < 260; index += 1) {
      await add({ fingerprint: `other${index}`, digest: null, name: `E${index % 2}` });
    }
    while ((await evictFaults(store)) > 0);
    const faults = await store.db.selectFrom('fault_hash').select('hash').where('hash', '=', 'f').execute();
    expect(faults).toEqual([]);
    expect(
      await store.db
        .selectFrom('event')
        .where('side', '=', 'server')
        .select('id')
        .where('digest', '=', 'D-1')
        .execute(),
    ).toEqual([]);
    expect(await readPast()).toMatchObject([{ digest: 'D-1', gone: 1 }]);
    expect(await readPastBytes('shop')).toBe(0);
    await evict();
    expect(await store.db.selectFrom('past_digest').selectAll().execute()).toEqual([]);
    expect(await store.db.selectFrom('past_origin').selectAll().execute()).toEqual([]);
  });

  it('goes a piece at a time where its fault has many', async () => {
    for (let index = 0; index < 250; index += 1) {
      await add({ digest: `D-${index}` });
    }
    // Of those that were silent for long, the rarest goes first.
    await store.db.updateTable('fault').set({ count: 0 }).execute();
    for (let index = 0; index < 260; index += 1) {
      await add({ fingerprint: `other${index}`, digest: null, name: `E${index % 2}` });
    }
    const counts: number[] = [];
    for (let deleted = 1; deleted > 0;) {
      deleted = await evictFaults(store);
      counts.push(deleted);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    expect(
      await store.db
        .selectFrom('event')
        .where('side', '=', 'server')
        .select('id')
        .where('fingerprint', '=', 'f')
        .execute(),
    ).toEqual([]);
    await evict();
    expect(await readPast()).toEqual([]);
  });
});

describe('their share', () => {
  it('a part of the limit: the app with most loses what was silent for longest', async () => {
    // Of 16 MiB 1.2, which 1,200 digests of a thousand characters fill.
    async function insert(app: string, count: number, from: number): Promise<void> {
      const { fault } = await store.db
        .selectFrom('fault_hash')
        .select('fault')
        .where('app', '=', app)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: count }, (_, index) => ({
        ...toRow({ app, fault, digest: `${from + index}`.padEnd(1_000, 'x'), time: (from + index) * 1_000 }),
        ordinal: index + 2,
      }));
      await insertAndDelete(rows);
    }
    await add({ app: 'shop', digest: null });
    await add({ app: 'blog', digest: null });
    await insert('shop', 1_000, 1_000_000);
    expect(await evictPastDigests(store)).toBe(0);
    await insert('blog', 500, 1);
    expect(await readPastBytes('blog')).toBeGreaterThan(500_000);
    await evict();
    const left = await readPast();
    expect(left.filter(({ app }) => app === 'blog')).toHaveLength(500);
    const times = left.filter(({ app }) => app === 'shop').map(({ time }) => time);
    expect([times.length < 1_000, times.at(-1)]).toEqual([true, 1_000_999]);
    expect(times[0]).toBe(1_001_000 - times.length);
    const bytes = ((await readPastBytes('shop')) ?? 0) + ((await readPastBytes('blog')) ?? 0);
    expect([bytes < store.limitBytes * 0.075, bytes > store.limitBytes * 0.06]).toEqual([true, true]);
  });

  it('a sweep goes on where it was, and deletes what is gone alone', async () => {
    const fault = await add({ digest: null });
    const rows = Array.from({ length: 4_500 }, (_, index) => ({
      ...toRow({ fault, digest: `${index}`.padStart(6, '0'), release: index % 2 === 0 ? 'even' : 'odd' }),
      ordinal: index + 2,
    }));
    await insertAndDelete(rows);
    await store.db.updateTable('past_origin').set({ gone: 1 }).where('release', '=', 'odd').execute();
    const counts: number[] = [];
    for (let more = 1; more > 0;) {
      more = await evictPastDigests(store);
      counts.push((await readPast()).length);
    }
    expect(counts).toEqual([3_500, 2_500, 2_250, 2_250]);
    expect(new Set((await readPast()).map(({ release }) => release))).toEqual(new Set(['even']));
  });
});
