import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { FlightHead } from '#src/flights/flight/flight-head.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';
import { readAppErrors, type SentAppError } from '#src/faults/app-errors/read-app-errors.ts';
import { storeAppErrors } from '#src/faults/app-errors/store-app-errors.ts';
import { useOperator } from '#src/access/testing/use-operator.ts';
import { findErrorDetails } from '#src/faults/digests/find-error-details.ts';
import { storeOldTabs } from '#src/faults/builds/store-old-tabs.ts';
import { openStore } from '#src/store/open-store.ts';

import { createFollower } from './follow-failed-answers.ts';

useOperator();
useRecorder();

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
let look: (now: number) => Promise<void>;
let now = 0;

beforeEach(() => {
  look = createFollower();
  now = Date.now();
});
afterEach(async () => {
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
});

function id(): string {
  return randomBytes(16).toString('hex');
}

async function answer(head: Partial<FlightHead> = {}): Promise<void> {
  const writer = currentWriter();
  const facts = { app: 'shop', method: 'GET', status: 500, path: '/orders/42', route: '/orders/42', traceId: trace };
  writer.add(
    createSampleHead({
      requestId: id(),
      content: 'none',
      bytes: 0,
      ...facts,
      source: 'proxy',
      startedAt: now,
      ...head,
    }),
    { payload: [], debug: [], args: new Uint8Array() },
  );
  await writer.flush();
}

async function tell(error: Partial<SentAppError> = {}): Promise<void> {
  const sent = { id: id(), time: now, name: 'TypeError', message: 'no such order', ...error };
  const read = readAppErrors(Buffer.from(JSON.stringify({ errors: [sent] })));
  if (read.type === 'malformed') throw new Error(read.reason);
  await storeAppErrors('shop', read.errors);
}

/** As time goes by: what was written is seen, and looked at when it is some seconds old. */
async function pass(): Promise<void> {
  await look(now);
  now += 6_000;
  await look(now);
}

async function list() {
  const { db } = await openStore();
  const rows = await db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select(['name', 'phase', 'path'])
    .orderBy('time')
    .execute();
  return rows.map(({ name, phase, path }) => `${phase} ${name} ${path}`);
}

async function listFaults() {
  const { db } = await openStore();
  const faults = await db.selectFrom('fault').select(['name', 'count', 'merged_into']).execute();
  return faults
    .map(({ name, count, merged_into: into }) => `${name} ${count}${into === null ? '' : ' merged'}`)
    .toSorted();
}

describe('an answer of 500 that nobody explained', () => {
  it('is stored with few others at a time, so that requests are answered in between', async () => {
    for (let path = 0; path < 30; path += 1) await answer({ path: `/orders/${path}`, route: '' });
    await look(now);
    now += 6_000;
    const seen = new Set<number>();
    const looked = look(now).then(() => 'over');
    while ((await Promise.race([looked, nextTurn('under way')])) !== 'over') seen.add((await list()).length);
    await vi.waitFor(async () => expect((await list()).length).toBe(30));
    expect([...seen].some((stored) => stored > 0 && stored < 30)).toBe(true);
  });

  it('is an error of the app, once, with what the proxy saw', async () => {
    await answer();
    await pass();
    await pass();
    expect(await list()).toEqual(['answer HTTP 500 /orders/42']);
    look = createFollower();
    await pass();
    expect(await list()).toHaveLength(1);
    const { db } = await openStore();
    const row = await db.selectFrom('event').where('side', '=', 'server').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ app: 'shop', method: 'GET', trace_id: trace, message: 'No error was reported for it' });
  });

  it('does not wait for those of another app, however many they are, nor is it forgotten for them at a restart', async () => {
    const writer = currentWriter();
    const nothing = { payload: [], debug: [], args: new Uint8Array() };
    const flood = (status: number, count: number) => {
      for (let n = 0; n < count; n += 1) {
        const head = {
          requestId: id(),
          app: 'blog',
          status,
          startedAt: now,
          source: 'proxy',
          content: 'none',
        } as const;
        writer.add(createSampleHead(head), nothing);
      }
    };
    flood(500, 700);
    await writer.flush();
    await answer();
    await pass();
    const { db } = await openStore();
    const ofShop = () => db.selectFrom('event').select('path').where('app', '=', 'shop').execute();
    expect(await ofShop()).toHaveLength(1);
    await answer({ path: '/orders/43', route: '/orders/43' });
    for (let batch = 0; batch < 11; batch += 1) {
      flood(200, 1_000);
      await writer.flush();
    }
    look = createFollower();
    await pass();
    expect(await ofShop()).toHaveLength(2);
  });

  it('is not the one of the route handler that an error without a place was thrown in', async () => {
    await answer({ path: '/shop/api/items/42', route: '/shop/api/items/42', startedAt: now, durationMs: 10 });
    await answer({ path: '/shop/api/files/a/b', route: '/shop/api/files/a/b', startedAt: now, durationMs: 30 });
    await answer({ path: '/shop/api/stock', route: '/shop/api/stock', startedAt: now + 20, durationMs: 20 });
    await tell({ route: '/api/items/[id]', time: now + 40 });
    await tell({ route: '/api/files/[...path]', time: now + 40 });
    await pass();
    expect((await list()).filter((row) => row.startsWith('answer'))).toEqual(['answer HTTP 500 /shop/api/stock']);
  });

  it('is not the one of the route handler where addresses end with a slash, either', async () => {
    await answer({ path: '/shop/api/crash/', route: '/shop/api/crash/', startedAt: now, durationMs: 10 });
    await answer({ path: '/shop/api/silent/', route: '/shop/api/silent/', startedAt: now + 20, durationMs: 10 });
    await answer({ path: '/shop/api/soft/', route: '/shop/api/soft/', status: 503, startedAt: now, durationMs: 10 });
    await tell({ route: '/api/crash', time: now + 30 });
    await tell({ route: '/api/soft', time: now + 10 });
    await pass();
    expect((await list()).filter((row) => row.startsWith('answer'))).toEqual(['answer HTTP 500 /shop/api/silent/']);
  });

  it('is not what an error broke whose digest another answer carried', async () => {
    await answer({ path: '/api/stock', route: '/api/stock', startedAt: now });
    await answer({ path: '/late', route: '/late', status: 200, startedAt: now + 10, digests: ['2338734591'] });
    await tell({ digest: '2338734591', time: now + 20 });
    await pass();
    expect((await list()).filter((row) => row.startsWith('answer'))).toEqual(['answer HTTP 500 /api/stock']);
  });

  it('is told once where the same error broke a page that did not fail, and then a document', async () => {
    const digests = ['2338734591'];
    await answer({ path: '/dash', route: '/dash', status: 200, startedAt: now, digests });
    await tell({ digest: '2338734591', time: now + 5 });
    await answer({ path: '/dash', route: '/dash', startedAt: now + 1_000, digests });
    await tell({ digest: '2338734591', time: now + 1_005 });
    await answer({ path: '/dash', route: '/dash', status: 200, startedAt: now + 2_000, digests });
    await pass();
    look = createFollower();
    await pass();
    expect(await list()).toEqual(['unknown TypeError ', 'unknown TypeError ']);
  });

  it('is not what a route handler caught, printed and answered', async () => {
    await answer({ path: '/api/stock', route: '/api/stock', startedAt: now });
    await answer({ path: '/api/logged', route: '/api/logged', status: 503, startedAt: now + 10 });
    await tell({ route: '/api/logged', time: now + 20 });
    await pass();
    expect((await list()).filter((row) => row.startsWith('answer'))).toEqual(['answer HTTP 500 /api/stock']);
  });

  it('takes its digest from no error that was printed before, and hides none', async () => {
    const digest = '2338734591';
    await tell({ reporter: 'log', digest, time: now - 60_000 });
    await answer({ digests: [digest], traceId: '' });
    await pass();
    expect(await list()).toEqual(['unknown TypeError ', 'answer HTTP 500 /orders/42']);
    expect(await findErrorDetails(digest, 'shop')).toMatchObject({ server: { name: 'TypeError' }, printedToo: [] });
  });

  it('is not explained by what is said of a tab from before a deploy', async () => {
    await answer({ path: '/dash', route: '/dash', startedAt: now });
    const tab = { app: 'shop', build: 'b', tabBuild: 'a', kind: 'navigation', method: 'GET', path: '/dash' } as const;
    const request = {
      ...tab,
      route: '/dash',
      status: 200,
      requestId: id(),
      traceId: '',
      visit: 'v',
      framework: 'next',
    };
    await storeOldTabs([{ ...request, startedAt: now }], now);
    await pass();
    expect((await list()).toSorted()).toEqual(['answer HTTP 500 /dash', 'unknown OldTab /dash']);
  });

  it('is a fault of its route, whatever number the route has in its name', async () => {
    for (const [at, page] of ['/step1', '/step2'].entries()) {
      await answer({ path: page, route: page, digests: [`233873459${at}`] });
      await answer({ path: `/orders/${at}`, route: `/orders/${at}` });
    }
    await pass();
    expect(await listFaults()).toEqual(['HTTP 500 1', 'HTTP 500 1', 'HTTP 500 2']);
  });

  it('is one fault for each status and route', async () => {
    await answer();
    await answer({ path: '/orders/43', route: '/orders/43' });
    await answer({ status: 503 });
    await answer({ path: '/cart', route: '/cart' });
    await pass();
    expect(await listFaults()).toEqual(['HTTP 500 1', 'HTTP 500 2', 'HTTP 503 1']);
  });

  it('is one fault for all places beyond a hundred, which whoever asks can make up', async () => {
    const word = (n: number) => String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26));
    for (let n = 0; n < 150; n += 1) {
      await answer({ app: 'open', path: `/x${word(n)}`, route: `/x${word(n)}` });
    }
    await pass();
    const { db } = await openStore();
    const rows = await db
      .selectFrom('event')
      .where('side', '=', 'server')
      .select(['fault', 'path', 'message'])
      .where('app', '=', 'open')
      .execute();
    expect(rows).toHaveLength(150);
    expect(new Set(rows.map(({ fault }) => fault)).size).toBe(101);
    const elsewhere = rows.filter(({ message }) => message === 'No error was reported for it, at many addresses');
    expect(elsewhere).toHaveLength(50);
    expect(new Set(elsewhere.map(({ path }) => path)).size).toBe(50);
    now += 1_000;
    await answer({ app: 'open', path: `/x${word(0)}`, route: `/x${word(0)}` });
    await pass();
    const [known] = await db
      .selectFrom('fault')
      .select('count')
      .where('app', '=', 'open')
      .orderBy('last_time', 'desc')
      .execute();
    expect(known?.count).toBe(2);
  });

  it('is none before the app had some seconds, and none of an answer that did not fail', async () => {
    await answer();
    await answer({ status: 404 });
    await look(now);
    await look(now + 4_000);
    expect(await list()).toEqual([]);
  });

  it('is none of this server itself, which tells its own', async () => {
    await answer({ app: '', source: 'runtime' });
    await pass();
    expect(await list()).toEqual([]);
  });
});

describe('an answer that the app explained', () => {
  it.each([
    ['by its trace', { request: { traceId: trace } }, {}],
    ['by its digest', { digest: '2338734591' }, { digests: ['2338734591'] }],
    ['by its place and time', { request: { path: '/orders/42' } }, {}],
    ['in its output, by the time alone', {}, {}],
  ])('%s is no error of its own', async (_, error, head) => {
    await answer(head);
    await tell(error);
    await pass();
    expect(await list()).toHaveLength(1);
  });

  it('is one of two where one error of its output was near', async () => {
    await answer();
    await answer();
    await tell();
    await pass();
    expect(await listFaults()).toEqual(['HTTP 500 1', 'TypeError 1']);
  });

  it('is one of those that nobody caught: an error that says no place explains no other status', async () => {
    await answer({ status: 503 });
    await answer();
    await tell();
    await pass();
    expect(await listFaults()).toEqual(['HTTP 503 1', 'TypeError 1']);
  });

  it('is the one that nobody caught, of two of its place', async () => {
    await answer({ status: 503 });
    await answer();
    await tell({ request: { path: '/orders/42' } });
    await pass();
    expect(await listFaults()).toEqual(['HTTP 503 1', 'TypeError 1']);
  });

  it('leaves an error without a place to those that no other explains', async () => {
    await answer({ path: '/proxied', route: '/proxied' });
    await answer({ startedAt: now + 10 });
    await tell({ time: now + 10 });
    await tell({ time: now + 10, name: 'RangeError', request: { path: '/orders/42' } });
    await pass();
    expect(await listFaults()).toEqual(['RangeError 1', 'TypeError 1']);
  });

  it('is none from before it', async () => {
    await answer();
    await tell({ time: now - 1_000 });
    await pass();
    expect(await listFaults()).toEqual(['HTTP 500 1', 'TypeError 1']);
  });

  it('later, without a place, takes only one that nobody caught', async () => {
    await answer({ status: 503 });
    await answer();
    await pass();
    await tell({ time: now - 6_000 });
    expect(await listFaults()).toEqual(['HTTP 500 0 merged', 'HTTP 503 1', 'TypeError 1']);
  });

  it('later, in a route handler, takes the one of its route', async () => {
    for (const path of ['/api/first', '/api/stock']) await answer({ path, route: path });
    await pass();
    await tell({ route: '/api/stock', time: now - 6_000 });
    expect((await list()).toSorted()).toEqual(['answer HTTP 500 /api/first', 'unknown TypeError ']);
  });

  it('later makes way, and its fault leads to the cause', async () => {
    await answer();
    await pass();
    await tell({ time: now - 6_000, request: { traceId: trace, path: '/orders/42' } });
    expect(await list()).toEqual(['unknown TypeError /orders/42']);
    expect(await listFaults()).toEqual(['HTTP 500 0 merged', 'TypeError 1']);
  });

  it('later takes the one that ended when it was printed, and no earlier one', async () => {
    await answer({ path: '/early', route: '/early', startedAt: now - 900, durationMs: 1 });
    await answer({ path: '/middle', route: '/middle', startedAt: now - 1, durationMs: 1 });
    await pass();
    await tell({ digest: undefined, time: now - 6_000 });
    expect(await list()).toEqual(['answer HTTP 500 /early', 'unknown TypeError ']);
  });

  it('is none of one that broke after its status was sent, earlier or later', async () => {
    const broke = { digest: undefined, message: 'failed to pipe response', time: now };
    await tell(broke);
    await answer();
    await pass();
    await tell({ ...broke, id: id() });
    expect((await list()).filter((one) => one.startsWith('answer'))).toEqual(['answer HTTP 500 /orders/42']);
  });

  it('later takes one of two with it', async () => {
    await answer();
    await answer();
    await pass();
    await tell({ time: now - 6_000, request: { traceId: trace, path: '/orders/42' } });
    expect(await listFaults()).toEqual(['HTTP 500 1', 'TypeError 1']);
  });

  it('a moment before or after it, at its place, explains no other request', async () => {
    const other = 'f1d2d2f924e986ac86fdf7b36c94bcdf';
    const fail = () => answer({ status: 503, startedAt: now });
    async function explain(): Promise<void> {
      await answer({ startedAt: now, traceId: other });
      await tell({ time: now, request: { path: '/orders/42', traceId: other } });
    }
    for (const act of [fail, explain, fail]) {
      await act();
      await look(now);
      now += 3_000;
    }
    for (let n = 0; n < 6; n += 1) {
      await look(now);
      now += 1_000;
    }
    expect(await listFaults()).toEqual(['HTTP 503 2', 'TypeError 1']);
  });

  it('is another than one of another place', async () => {
    await answer();
    await tell({ request: { path: '/cart' } });
    await pass();
    expect(await listFaults()).toEqual(['HTTP 500 1', 'TypeError 1']);
  });
});
