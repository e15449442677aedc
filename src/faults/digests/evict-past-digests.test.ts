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
  return store.db.selectFrom('past_digest').selectAll().orderBy('last_time').orderBy('digest').execute();
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

describe('an error whose row is deleted', () => {
  it('leaves its digest, whoever deletes it: one row for each app, digest and fingerprint', async () => {
    await add({ time: 20, path: '/cart/8', route: '' });
    await add({ time: 10 });
    await add({ time: 15, digest: 'D-2' });
    await add({ time: 16, app: 'blog' });
    await add({ time: 17, fingerprint: 'g' });
    await store.db.deleteFrom('event').where('side', '=', 'server').where('time', '=', 20).execute();
    await store.db.deleteFrom('event').where('side', '=', 'server').execute();
    const [shop, other, blog, second] = [await readPast()].flatMap((rows) => [
      rows.find(({ app, digest, hash }) => app === 'shop' && digest === 'D-1' && hash === 'f'),
      rows.find(({ digest }) => digest === 'D-2'),
      rows.find(({ app }) => app === 'blog'),
      rows.find(({ hash }) => hash === 'g'),
    ]);
    expect(await readPast()).toHaveLength(4);
    expect(shop).toMatchObject({ first_time: 10, last_time: 20, count: 2, route: '/cart/8' });
    expect(other).toMatchObject({ first_time: 15, last_time: 15, count: 1, route: '/cart/[id]' });
    expect([blog?.count, second?.count]).toEqual([1, 1]);
  });

  it('goes by age, and is found by the hash of its fault', async () => {
    const now = ageLimitMs + 1_000;
    const fault = await add({ time: 1 });
    await add({ time: now });
    await enforceRetention(store, now, undefined, 1);
    const [past] = await readPast();
    expect(past).toMatchObject({ digest: 'D-1', first_time: 1, count: 1 });
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
    expect(await readPast()).toEqual([]);
    expect(await readPastBytes('shop')).toBe(0);
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
    expect(await readPast()).toEqual([]);
  });
});

describe('their share', () => {
  it('an eighth of the limit: the app with most gives its oldest', async () => {
    const insert = async (app: string, count: number, from: number) => {
      const rows = Array.from({ length: count }, (_, index) => ({
        app,
        digest: `${app}${index}`,
        hash: 'f',
        first_time: from + index,
        last_time: from + index,
        count: 1,
        route: 'x'.repeat(100),
      }));
      for (let at = 0; at < rows.length; at += 1_000) {
        await store.db
          .insertInto('past_digest')
          .values(rows.slice(at, at + 1_000))
          .execute();
      }
    };
    await insert('shop', 6_200, 1_000_000);
    expect(await evictPastDigests(store)).toBe(0);
    await insert('blog', 1_000, 1);
    expect(await readPastBytes('blog')).toBeGreaterThan(250_000);
    let deleted = 0;
    for (let step = 1; step > 0; deleted += step) step = await evictPastDigests(store);
    expect(deleted).toBeGreaterThan(0);
    const left = await store.db.selectFrom('past_digest').select(['app', 'digest', 'last_time']).execute();
    expect(left.filter(({ app }) => app === 'blog')).toHaveLength(1_000);
    const times = left.filter(({ app }) => app === 'shop').map(({ last_time: time }) => time);
    expect(Math.min(...times)).toBe(1_000_000 + deleted);
    const bytes = ((await readPastBytes('shop')) ?? 0) + ((await readPastBytes('blog')) ?? 0);
    expect(bytes).toBeLessThan(store.limitBytes / 8);
  });
});
