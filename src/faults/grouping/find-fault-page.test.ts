import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { type Insertable, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { findErrorDetailsById, findBrowserErrorDetails } from '#src/faults/digests/find-error-details.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { FaultHashTable, FaultTable, NewEvent } from '#src/store/schema.ts';

import { countVisitors } from './count-visitors.ts';
import { countedSide } from './counted.ts';
import { findFaultPage } from './find-fault-page.ts';
import { findShownError, listKeptDigests, listKeptErrors, listLatestOfSide } from './kept-errors.ts';
import { readFaultChanges } from './read-fault-changes.ts';
import { readFaultChart } from './read-fault-chart.ts';
import { readFaultHashes } from './read-fault-hashes.ts';
import { readFaultSpread } from './read-fault-spread.ts';
import { readHourCounts } from './read-faults.ts';

/** These tests are about what is read. src/faults/kept/queries-guard.test.ts tests who may read it. */
useOperator();

let folder: string;
let store: Store;
const noon = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-fault-page-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore(folder);
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

async function addFault(fault: Partial<Insertable<FaultTable>> = {}): Promise<void> {
  const values: Insertable<FaultTable> = {
    id: 'fault000',
    app: 'shop',
    side: 'server',
    name: 'TypeError',
    message: 'no price',
    culprit: 'src/cart.ts · addItem',
    level: 'error',
    state: 'open',
    state_json: '{}',
    state_time: noon,
    unseen: 'new',
    first_time: noon,
    last_time: noon,
    first_release: '1',
    last_release: '2',
    merged_into: null,
  };
  await store.db
    .insertInto('fault')
    .values({ ...values, ...fault })
    .execute();
}

async function addError(id: string, time: number, error: Partial<NewEvent> = {}): Promise<void> {
  const values: NewEvent = {
    id,
    side: 'server',
    time,
    received_at: time,
    app: 'shop',
    fault: 'fault000',
    fingerprint: 'f',
    digest: null,
    phase: 'rsc',
    kind: 'document',
    method: 'GET',
    path: '/cart',
    request_id: '',
    trace_id: '',
    release: '1',
    name: 'TypeError',
    message: 'no price',
    stack: '',
    frames_json: '[]',
    component_stack: null,
    causes_json: '[]',
    user_key: null,
  };
  await store.db
    .insertInto('event')
    .values({ ...values, ...error })
    .execute();
}

async function addUntrusted(eventId: string, time: number, untrusted: Partial<NewEvent> = {}): Promise<void> {
  const values: NewEvent = {
    id: eventId,
    time,
    received_at: time,
    app: 'shop',
    fault: 'fault000',
    digest: null,
    side: 'browser',
    fingerprint: 'f',
    name: 'TypeError',
    message: 'no price',
    path: '/cart',
    frames_json: '[]',
    component_stack: null,
    breadcrumbs_json: '[]',
    user_key: null,
  };
  await store.db
    .insertInto('event')
    .values({ ...values, ...untrusted })
    .execute();
}

async function addHash(
  hash: string,
  hours: Readonly<Record<number, number>>,
  values: Partial<Insertable<FaultHashTable>> = {},
): Promise<void> {
  const times = { first_time: noon, last_time: noon, first_release: '', last_release: '' };
  const given = { app: 'shop', hash, fault: 'fault000', side: 'server', rule: 'frames', algorithm: 2 } as const;
  await store.db
    .insertInto('fault_hash')
    .values({ ...given, ...times, parts_json: '["Type TypeError"]', ...values })
    .execute();
  for (const [time, count] of Object.entries(hours)) {
    await store.db
      .insertInto('fault_hour')
      .values({ app: 'shop', hash, hour: Number(time), count, untrusted: 1 })
      .execute();
  }
}

describe('findFaultPage', () => {
  it('knows no fault that is not there', async () => {
    expect(await findFaultPage('fault000')).toEqual({ type: 'unknown' });
  });

  it('gives the fault with its log, and its newest error', async () => {
    await addFault({
      count: 48_000,
      untrusted: 210,
      state: 'resolved',
      state_json: '{"in":{"type":"now"}}',
      unseen: null,
    });
    await addError('a', noon);
    await addUntrusted('b', noon + 1);
    for (const [id, type, batch] of [
      ['1', 'first-seen', null],
      ['2', 'resolved', '2'],
    ] as const) {
      await store.db
        .insertInto('fault_activity')
        .values({
          id,
          type,
          batch,
          fault: 'fault000',
          app: 'shop',
          time: noon,
          by: 'system',
          error: 'a',
          detail_json: '{"x":1}',
          undone: null,
        })
        .execute();
    }
    expect(await findFaultPage('fault000')).toMatchObject({
      type: 'found',
      isAskedGone: false,
      fault: {
        count: 48_000,
        untrusted: 210,
        kept: 2,
        keptUntrusted: 1,
        stateDetails: { type: 'resolved', in: { type: 'now' } },
        stateTime: noon,
        activities: [
          { id: '2', type: 'resolved', batch: '2', detail: { x: 1 }, state: { type: 'resolved' }, undone: null },
          { id: '1', type: 'first-seen', batch: null, error: 'a' },
        ],
      },
      shown: { shown: { key: 'a', side: 'server' }, position: 2 },
    });
    expect(await findFaultPage('fault000', 'b')).toMatchObject({ isAskedGone: false, shown: { shown: { key: 'b' } } });
  });

  it('says when the asked error is gone, and shows the newest', async () => {
    await addFault();
    await addError('a', noon);
    expect(await findFaultPage('fault000', 'gone')).toMatchObject({
      isAskedGone: true,
      shown: { shown: { key: 'a' } },
    });
  });

  it('has no error where all were deleted', async () => {
    await addFault({ count: 3 });
    const read = await findFaultPage('fault000', 'a');
    expect(read).toMatchObject({ type: 'found', fault: { count: 3, kept: 0 }, isAskedGone: true });
    expect(read).toHaveProperty('shown', undefined);
  });

  it('leads to the fault that it was merged into, and to the one whose error is asked for', async () => {
    await addFault();
    await addFault({ id: 'merged00', merged_into: 'fault000' });
    await addFault({ id: 'other000' });
    await addError('a', noon);
    await addError('b', noon, { fault: 'other000' });
    await addUntrusted('c', noon, { fault: 'other000' });
    expect(await findFaultPage('merged00', 'x')).toEqual({ type: 'moved', fault: 'fault000', error: 'x' });
    expect(await findFaultPage('fault000', 'b')).toEqual({ type: 'moved', fault: 'other000', error: 'b' });
    expect(await findFaultPage('fault000', 'c')).toEqual({ type: 'moved', fault: 'other000', error: 'c' });
  });

  it('shows an error that has yet to follow from a merged fault: to lead there would lead back', async () => {
    await addFault();
    await addFault({ id: 'merged00', merged_into: 'fault000' });
    await addError('a', noon);
    await addError('b', noon, { fault: 'merged00' });
    expect(await findFaultPage('fault000', 'b')).toMatchObject({
      type: 'found',
      shown: { shown: { key: 'b' } },
      isAskedGone: false,
    });
  });
});

describe('the kept errors', () => {
  /** 45 of both sides, some of one moment: the order is e44, e43 … by time, then by key. */
  async function addMany(): Promise<string[]> {
    await addFault();
    const keys: string[] = [];
    for (let n = 0; n < 45; n += 1) {
      const [key, time] = [`e${String(n).padStart(2, '0')}`, noon + Math.floor(n / 3) * minute];
      await (n % 4 === 1 ? addUntrusted(key, time) : addError(key, time));
      keys.unshift(key);
    }
    await addError('another', noon, { fault: 'other000' });
    return keys;
  }

  it('are reached one by one, in both directions, each once', async () => {
    const keys = await addMany();
    const seen: string[] = [];
    for (let key: string | undefined = keys[0]; key !== undefined;) {
      const shown = await findShownError('fault000', key);
      seen.push(key);
      expect(shown).toMatchObject({
        shown: { key },
        position: seen.length,
        newer: keys[seen.length - 2],
        older: keys[seen.length],
        newest: seen.length === 1 ? undefined : keys[0],
        oldest: seen.length === keys.length ? undefined : keys.at(-1),
      });
      key = shown?.older;
    }
    expect(seen).toEqual(keys);
  });

  it('are listed by pages that have the ways to the pages before and after them', async () => {
    const keys = await addMany();
    const first = await listKeptErrors('fault000');
    expect(first.errors.map(({ key }) => key)).toEqual(keys.slice(0, 20));
    expect(first).toMatchObject({ older: keys[20] });
    expect(first.newer).toBeUndefined();
    const second = await listKeptErrors('fault000', first.older);
    expect(second.errors.map(({ key }) => key)).toEqual(keys.slice(20, 40));
    expect(second).toMatchObject({ older: keys[40], newer: null });
    const third = await listKeptErrors('fault000', second.older);
    expect(third.errors.map(({ key }) => key)).toEqual(keys.slice(40));
    expect(third).toMatchObject({ older: undefined, newer: keys[20] });
  });

  it('begin with the newest where the asked one is not there', async () => {
    const keys = await addMany();
    expect((await listKeptErrors('fault000', 'another')).errors[0]?.key).toBe(keys[0]);
  });

  it('are read in the order of the index, and nothing but those of one moment is sorted', async ({ skip }) => {
    const { engine } = await openStore();
    skip(engine === 'postgres', 'PostgreSQL has plans of its own, which depend on how many rows there are');
    const keys = await addMany();
    const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
    await findShownError('fault000', keys[20]);
    const texts = prepared.mock.calls.map(([text]) => text).filter((text) => /order by|count\(\*\)/.test(text));
    prepared.mockRestore();
    expect(texts.length).toBeGreaterThanOrEqual(6);
    for (const text of new Set(texts)) {
      const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(text)}`.execute(store.db);
      const plan = rows.map(({ detail }) => detail).join('\n');
      expect(plan).toMatch(/SEARCH event USING (COVERING )?INDEX event_fault \(fault=\?/);
      expect(plan.replaceAll('USE TEMP B-TREE FOR LAST TERM OF ORDER BY', '')).not.toContain('TEMP B-TREE');
    }
  });

  it('show the newest of a server first, also where a browser reports a newer one', async () => {
    await addFault();
    await addError('thrown', noon);
    await addUntrusted('untrusted', noon + minute);
    expect(await findShownError('fault000')).toMatchObject({ shown: { key: 'thrown' }, newer: 'untrusted' });
    await addFault({ id: 'claims00', side: 'browser' });
    await addUntrusted('alone', noon, { fault: 'claims00' });
    expect(await findShownError('claims00')).toMatchObject({ shown: { key: 'alone' } });
  });

  it('are listed of the side that counts, the newest first', async () => {
    await addError('a', noon, { digest: 'AAAAAAAAAA' });
    await addUntrusted('b', noon + 1, { digest: 'AAAAAAAAAA' });
    await addError('c', noon + 2);
    const keys = async (counts: { count: number; untrusted: number }) =>
      (await listLatestOfSide('fault000', countedSide(counts), 2)).map(({ key }) => key);
    expect([await keys({ count: 2, untrusted: 1 }), await keys({ count: 0, untrusted: 1 })]).toEqual([
      ['c', 'a'],
      ['b'],
    ]);
  });

  it('name their digests, each once', async () => {
    await addFault();
    await addError('a', noon, { digest: 'AAAAAAAAAA' });
    await addError('b', noon, { digest: 'AAAAAAAAAA' });
    await addUntrusted('c', noon, { digest: 'BBBBBBBBBB' });
    await addUntrusted('d', noon);
    expect(await listKeptDigests('fault000')).toEqual(['AAAAAAAAAA', 'BBBBBBBBBB']);
  });
});

it('counts as a visitor each trace under which a browser was shown the digest', async () => {
  await addFault();
  const digest = '2338734591';
  await addUntrusted('a', noon, { digest, trace_id: '1' });
  await addUntrusted('b', noon, { digest, trace_id: '1' });
  await addUntrusted('c', noon, { digest, trace_id: '2' });
  await addUntrusted('d', noon, { digest });
  await addUntrusted('e', noon, { trace_id: '3' });
  await addUntrusted('f', noon, { digest, trace_id: '4', fault: 'fault001' });
  await addError('shop.g', noon, { digest, trace_id: '5' });
  expect(await countVisitors({ id: 'fault000' })).toBe(2);
  expect(await countVisitors({ id: 'fault002' })).toBe(0);
});

describe('readFaultChart', () => {
  const fault = { id: 'fault000', app: 'shop', firstRelease: '' };

  it('counts by the hour what all fingerprints were counted for, until now', async () => {
    await addHash('one', { [noon]: 4, [noon + 2 * hour]: 1 });
    await addHash('two', { [noon]: 10 });
    await addHash('three', { [noon]: 100 }, { fault: 'other000' });
    const chart = await readFaultChart(fault, noon + 3 * hour + minute);
    expect(chart).toEqual({
      bucketMs: hour,
      buckets: [14, 0, 1, 0].map((count, index) => ({ start: noon + index * hour, count })),
      releases: [],
    });
  });

  it('puts hours together where there are many, and loses none', async () => {
    await addHash('one', { [noon - 80 * day]: 7, [noon - day]: 2 });
    const chart = await readFaultChart(fault, noon);
    expect(chart?.bucketMs).toBe(2 * day);
    expect(chart?.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(9);
    expect(chart?.buckets[0]?.count).toBe(7);
  });

  it('has the releases that were first heard of in that time', async () => {
    await addHash('one', { [noon]: 1 });
    for (const [app, name, time] of [
      ['shop', 'before', noon - 1],
      ['shop', '41', noon + minute],
      ['shop', '42', noon + hour],
      ['blog', '43', noon + hour],
    ] as const) {
      await store.db.insertInto('app_release').values({ app, side: 'server', name, first_time: time }).execute();
    }
    expect((await readFaultChart(fault, noon + hour))?.releases).toEqual([
      { name: '41', time: noon + minute },
      { name: '42', time: noon + hour },
    ]);
  });

  it('has no releases of another package of the app', async () => {
    await addHash('one', { [noon]: 1 });
    for (const [index, name] of ['shop@1.0.0', 'web@2.0.0', 'shop@1.0.1', '@acme/shop@1', '43'].entries()) {
      await store.db
        .insertInto('app_release')
        .values({ app: 'shop', side: 'server', name, first_time: noon + index })
        .execute();
    }
    const namesOf = async (firstRelease: string) =>
      (await readFaultChart({ ...fault, firstRelease }, noon))?.releases.map(({ name }) => name);
    expect(await namesOf('shop@1.0.0')).toEqual(['shop@1.0.0', 'shop@1.0.1']);
    expect(await namesOf('43')).toEqual(['43']);
    const changes = await readFaultChanges({ app: 'shop', firstRelease: 'shop@1.0.1' });
    expect(changes?.before?.release).toBe('shop@1.0.0');
    expect((await readFaultChanges({ app: 'shop', firstRelease: 'web@2.0.0' }))?.before).toBeUndefined();
    expect((await readFaultChanges({ app: 'shop', firstRelease: '43' }))?.before).toBeUndefined();
  });

  it('keeps the hours that a clock was ahead', async () => {
    await addHash('one', { [noon]: 1, [noon + 2 * hour]: 4 });
    expect((await readFaultChart(fault, noon))?.buckets.map(({ count }) => count)).toEqual([1, 0, 4]);
  });

  it('counts errors of browsers only where no server has told the fault', async () => {
    await addHash('one', { [noon]: 4 });
    const counted = [];
    for (const count of [4, 0]) {
      await store.db.deleteFrom('fault').execute();
      await addFault({ count, untrusted: 1 });
      const hours = (await readHourCounts(store.db, ['fault000'], 2, noon)).get('fault000')?.counts;
      const chart = (await readFaultChart(fault, noon))?.buckets.map((bucket) => bucket.count);
      const { hashes } = await readFaultHashes('fault000');
      counted.push({ hours, chart, hash: hashes[0]?.count });
    }
    expect(counted).toEqual([
      { hours: [0, 4], chart: [4], hash: 4 },
      { hours: [0, 1], chart: [1], hash: 1 },
    ]);
  });

  it('is nothing where nothing was counted', async () => {
    expect(await readFaultChart(fault, noon)).toBeUndefined();
  });
});

it('says of each fingerprint what was hashed, and how often it was, the most frequent first', async () => {
  await addHash('one', { [noon]: 4 });
  await addHash('two', { [noon]: 4, [noon + hour]: 9 }, { rule: 'message', parts_json: '["Message a","Type b"]' });
  await addHash('three', {}, { rule: 'given', parts_json: '[]' });
  expect(await readFaultHashes('fault000')).toEqual({
    total: 3,
    hashes: [
      { hash: 'two', rule: 'message', parts: ['Message a', 'Type b'], count: 13, lastTime: noon },
      { hash: 'one', rule: 'frames', parts: ['Type TypeError'], count: 4, lastTime: noon },
      { hash: 'three', rule: 'given', parts: [], count: 0, lastTime: noon },
    ],
  });
});

it('finds the release that a fault came with, and the one before', async () => {
  for (const [name, time] of Object.entries({ '41': noon - 2 * day, '42': noon - day, '43': noon })) {
    await store.db.insertInto('app_release').values({ app: 'shop', side: 'server', name, first_time: time }).execute();
  }
  const shop = { app: 'shop', firstRelease: '43' };
  expect(await readFaultChanges(shop)).toEqual({
    release: '43',
    releaseTime: noon,
    before: { release: '42', time: noon - day },
  });
  // Anybody can name a release.
  for (const [name, time] of Object.entries({ made: noon - 1, '43': noon - 2 * day })) {
    await store.db.insertInto('app_release').values({ app: 'shop', side: 'browser', name, first_time: time }).execute();
  }
  expect(await readFaultChanges(shop)).toMatchObject({ releaseTime: noon, before: { release: '42' } });
  expect((await readFaultChanges({ ...shop, firstRelease: '41' }))?.before).toBeUndefined();
  expect(await readFaultChanges({ ...shop, firstRelease: '' })).toBeUndefined();
  expect(await readFaultChanges({ app: 'blog', firstRelease: '43' })).toBeUndefined();
});

it('counts a phase that nobody said as no value', async () => {
  await addError('a', noon, { phase: 'unknown' });
  expect((await readFaultSpread('fault000')).spreads.map(({ name }) => name)).not.toContain('phase');
});

it('spreads fields and tags over what servers told, and browsers over what browsers report', async () => {
  await addFault();
  const releases = ['1', '1', '1', '2', '3', '4', '5', '6', ''];
  for (const [n, release] of releases.entries()) {
    await addError(`e${n}`, noon + n, { release, route: '/cart/[id]', tags_json: '{"plan":"free"}' });
  }
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
  for (let n = 0; n < 20; n += 1) {
    const untrusted = {
      user_agent: chrome,
      environment: 'production',
      level: 'fatal',
      tags_json: '{"plan":"paid"}',
    } as const;
    await addUntrusted(`r${n}`, noon, untrusted);
  }
  const { read, spreads } = await readFaultSpread('fault000');
  const by = new Map(spreads.map(({ name, ...rest }) => [name, rest]));
  expect(read).toBe(9);
  expect([...by.keys()]).toEqual(['release', 'route', 'browser', 'level', 'phase', 'plan']);
  expect(by.get('release')).toEqual({
    isTag: false,
    values: [{ value: '1', count: 3 }, ...['2', '3', '4', '5'].map((value) => ({ value, count: 1 }))],
    rest: 1,
    without: 1,
    of: 9,
  });
  expect(by.get('route')?.values).toEqual([{ value: '/cart/[id]', count: 9 }]);
  expect(by.get('browser')).toMatchObject({ values: [{ value: 'Chrome 142', count: 20 }], without: 0, of: 20 });
  expect(by.get('level')?.values).toEqual([{ value: 'error', count: 9 }]);
  expect(by.get('phase')?.values.map(({ value }) => value)).toEqual(['rsc']);
  const plan = { isTag: true, values: [{ value: 'free', count: 9 }], rest: 0, without: 0, of: 9 };
  expect(by.get('plan')).toEqual(plan);
});

it('spreads what browsers report where there is nothing else', async () => {
  await addFault();
  await addUntrusted('r', noon, { environment: 'production', tags_json: '{"plan":"paid","__proto__":"x"}' });
  const { read, spreads } = await readFaultSpread('fault000');
  expect(read).toBe(1);
  const names = spreads.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['environment', 'route', 'plan', '__proto__']));
  expect(spreads.find(({ name }) => name === 'phase')?.values).toEqual([{ value: 'browser', count: 1 }]);
});

describe('an error', () => {
  it('has what its sender said, and its causes with their frames', async () => {
    const stack = 'Error: 502\n    at fetchPrices (/srv/app/prices.js:3:9)\n    at node:internal/x:1:1';
    await addError('shop.1', noon, {
      level: 'fatal',
      environment: 'production',
      sdk: 'sentry.javascript.node/11.10.0',
      user_key: 'abc',
      tags_json: '{"plan":"free","bad":1}',
      extra_json: '{"cart":"3 items"}',
      causes_json: JSON.stringify([{ name: 'Error', message: '502', stack }]),
    });
    const server = (await findErrorDetailsById('shop.1'))?.server;
    expect(server?.said).toEqual({
      level: 'fatal',
      environment: 'production',
      sdk: 'sentry.javascript.node/11.10.0',
      user: 'abc',
      tags: { plan: 'free' },
      extra: { cart: '3 items' },
    });
    expect(server?.causes[0]?.frames).toMatchObject([
      { fn: 'fetchPrices', file: '/srv/app/prices.js', line: 3, inApp: true },
      { file: 'node:internal/x', inApp: false },
    ]);
  });

  it('that a browser reported has its own error alone, and the server’s error of the same fault and trace', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await addError('shop.1', noon, { trace_id: trace });
    await addUntrusted('shop.2', noon + 500, { trace_id: trace, digest: 'x', path: '/asked' });
    await addUntrusted('shop.3', noon + 600, { trace_id: trace, digest: 'x' });
    const details = await findBrowserErrorDetails('shop.2');
    expect(details?.browser.map(({ eventId }) => eventId)).toEqual(['shop.2']);
    expect(details?.server?.id).toBe('shop.1');
    await addUntrusted('shop.4', noon + 3 * minute, { trace_id: trace });
    await addUntrusted('shop.5', noon, { trace_id: trace, fault: 'other000' });
    await addUntrusted('shop.6', noon - 3 * minute, { trace_id: trace });
    expect((await findBrowserErrorDetails('shop.6'))?.server).toBeUndefined();
    expect((await findBrowserErrorDetails('shop.4'))?.server).toBeUndefined();
    expect((await findBrowserErrorDetails('shop.5'))?.server).toBeUndefined();
    expect(await findBrowserErrorDetails('shop.1')).toBeUndefined();
  });

  it('that a browser reported under a digest that names a fault is not every error with it', async () => {
    const [mine, other] = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c'];
    await addError('shop.1', noon, { digest: '2338734591', trace_id: mine });
    await addUntrusted('shop.2', noon, { digest: '2338734591', trace_id: other });
    await addUntrusted('shop.3', noon, { digest: '2338734591', trace_id: mine, fault: 'other000' });
    expect((await findBrowserErrorDetails('shop.2'))?.server).toBeUndefined();
    expect((await findBrowserErrorDetails('shop.3'))?.server?.id).toBe('shop.1');
  });
});
