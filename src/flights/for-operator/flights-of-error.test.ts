import { randomBytes } from 'node:crypto';

import { expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { currentWriter } from '../recorder/recorder.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { listCarriers, listDigestsOfFlights, listFlightsOfDigests } from './flights-of-digests.ts';
import { findFailedAt, findFlightsOfError } from './queries.ts';

useOperator();
useRecorder();

const now = Date.now();

function add(startedAt: number, path: string, durationMs: number, more: Partial<FlightHead> = {}): string {
  const requestId = randomBytes(16).toString('hex');
  const traceId = randomBytes(16).toString('hex');
  const head = createSampleHead({
    requestId,
    traceId,
    app: 'shop',
    path,
    startedAt,
    durationMs,
    digests: ['123456'],
    ...more,
  });
  currentWriter().add(head, { payload: [], debug: [], args: new Uint8Array() });
  return requestId;
}

/** An answer that carried the digest. */
async function answer(startedAt: number, path: string, durationMs = 100): Promise<string> {
  const requestId = add(startedAt, path, durationMs);
  await currentWriter().flush();
  return requestId;
}

async function find(time: number, requestId = '', digest: string | null = '123456'): Promise<readonly string[]> {
  const { foundBy, flights } = await findFlightsOfError({ app: 'shop', digest, requestId, traceId: '', time });
  return flights.length === 0 ? [] : [foundBy, ...flights.map(({ path }) => path)];
}

it('finds the answer of its time, and not those of other visitors with the same error', async () => {
  await answer(now - 200_000, '/early');
  const late = await answer(now - 60_000, '/late', 3_000);
  await answer(now, '/now');
  expect(await find(now + 50)).toEqual(['time', '/now']);
  expect(await find(now - 57_500)).toEqual(['time', '/late']);
  expect(await find(now + 50, late)).toEqual(['request', '/late']);
  // None was under way: what is found is not said to be its own.
  expect(await find(now - 120_000)).toEqual(['digest', '/late', '/early', '/now']);
  expect(await find(now, '', null)).toEqual([]);
});

it('prefers the answer that was under way to one that had ended, and takes none of another method', async () => {
  add(now - 3_000, '/ended', 1_000);
  await answer(now, '/under-way', 100);
  expect(await find(now + 50)).toEqual(['time', '/under-way']);
  expect(await find(now - 400)).toEqual(['time', '/under-way']);
  expect(await find(now - 800)).toEqual(['time', '/under-way', '/ended']);
  const head = { app: 'shop', digest: '123456', requestId: '', traceId: '', method: 'HEAD', time: now + 50 };
  expect((await findFlightsOfError(head)).foundBy).toBe('digest');
  const own = add(now, '/head', 100, { method: 'HEAD' });
  await currentWriter().flush();
  expect((await findFlightsOfError(head)).flights.map(({ requestId }) => requestId)).toEqual([own]);
});

it('finds what is of the trace that an error names before what has its digest alone', async () => {
  const traceId = randomBytes(16).toString('hex');
  add(now, '/other-visitor', 100);
  add(now, '/own', 100, { traceId });
  add(now, '/own/next', 100, { traceId, digests: [] });
  add(now - 9_000, '/own/before', 100, { traceId });
  await currentWriter().flush();
  const traits = { app: 'shop', requestId: '', traceId, time: now + 50 };
  const read = async (digest: string | null, time = now + 50) => {
    const { foundBy, flights } = await findFlightsOfError({ ...traits, digest, time });
    return [foundBy, ...flights.map(({ path }) => path)];
  };
  expect(await read('123456')).toEqual(['trace', '/own']);
  expect(await read('unknown')).toEqual(['trace', '/own', '/own/next']);
  expect(await read(null, now + 60_000)).toEqual(['trace', '/own', '/own/next', '/own/before']);
});

it('finds the answer of its request, and the one that was under way, among thousands with the same digest', async () => {
  const own = await answer(now - 100_000, '/own');
  for (let n = 0; n < 1_300; n += 1) {
    const isOwn = n === 700;
    add(now - 99_000 + n * 50, isOwn ? '/under-way' : '/other', isOwn ? 400 : 10);
  }
  await currentWriter().flush();
  expect(await find(now - 50, own)).toEqual(['request', '/own']);
  expect(await find(now - 99_000 + 700 * 50 + 200)).toContain('/under-way');
  const newest = await listFlightsOfDigests('shop', ['123456', 'none']);
  expect([newest.length, newest[0]?.startedAt]).toEqual([100, now - 99_000 + 1_299 * 50]);
  expect(await listCarriers('shop', '123456')).toHaveLength(1_301);
  expect(await listCarriers('blog', '123456')).toEqual([]);
});

it('finds an app’s flights whatever another app says of the same digest, and when', async () => {
  const day = 24 * 60 * 60_000;
  await answer(now, '/own', 100);
  for (let n = 0; n < 1_100; n += 1) add(now - (n % 2) * 5 * day, '/other', 100, { app: 'blog' });
  await currentWriter().flush();
  expect(await find(now + 50)).toEqual(['time', '/own']);
  expect((await listFlightsOfDigests('shop', ['123456'])).map(({ path }) => path)).toEqual(['/own']);
  expect((await listCarriers('shop', '123456')).map(({ path }) => path)).toEqual(['/own']);
});

it('finds the digests of an app’s route, however many another app has', async () => {
  await answer(now, '/own', 100);
  const digests = Array.from({ length: 100 }, (_, n) => `d${n}`);
  for (let n = 0; n < 501; n += 1) add(now, '/other', 100, { app: 'blog', digests });
  await currentWriter().flush();
  expect(await listDigestsOfFlights({ app: 'shop' })).toEqual([{ app: 'shop', digest: '123456' }]);
});

it('finds the failed answers of an address at a time, for an error that names no request', async () => {
  const failed = { method: 'GET', status: 500, digests: [] };
  add(now - 60_000, '/api/stock', 100, failed);
  add(now - 1_000, '/api/stock', 900, failed);
  add(now - 1_100, '/api/stock', 700, failed);
  add(now - 1_000, '/api/stock', 900, { status: 200 });
  add(now - 1_000, '/api/stock', 900, { ...failed, method: 'POST' });
  add(now - 1_000, '/api/cart', 900, failed);
  add(now - 1_000, '/api/stock', 900, { ...failed, app: 'blog' });
  await currentWriter().flush();
  async function findAgo(ago: number, more: { method?: string; path?: string } = {}) {
    const error = { app: 'shop', method: 'GET', path: '/api/stock', time: now - ago, ...more };
    return (await findFailedAt(error)).map(({ startedAt, method, path }) => `${method} ${path} ${now - startedAt}`);
  }
  expect(await findAgo(500)).toEqual(['GET /api/stock 1000', 'GET /api/stock 1100']);
  expect(await findAgo(500, { method: 'POST' })).toEqual(['POST /api/stock 1000']);
  // The other had ended: clocks that differ are looked at where no answer fits.
  expect(await findAgo(150)).toEqual(['GET /api/stock 1000']);
  expect(await findAgo(50)).toEqual(['GET /api/stock 1000', 'GET /api/stock 1100']);
  // Of an app's output: it says neither.
  expect(await findAgo(1_050, { method: '', path: '' })).toEqual(['GET /api/stock 1100']);
  add(now - 1_100, '/late', 700, { ...failed, status: 503 });
  add(now - 1_100, '/', 700, { ...failed, digests: ['2338734591'] });
  await currentWriter().flush();
  expect(await findAgo(1_050, { method: '', path: '' })).toEqual(['GET /api/stock 1100']);
});
