import { randomBytes } from 'node:crypto';

import { expect, it } from 'vitest';

import { askAsOperator } from './testing/ask-as-operator.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { listFlightsAround } from '../for-operator/flights-around.ts';
import { listFlightsOfDigests } from '../for-operator/flights-of-digests.ts';
import { currentWriter } from './recorder.ts';
import { createSampleHead } from './testing/sample-head.ts';
import { useRecorder } from './testing/use-recorder.ts';

const now = Date.now();

useRecorder();

function id(): string {
  return randomBytes(16).toString('hex');
}

async function record(...heads: Partial<FlightHead>[]): Promise<void> {
  const writer = currentWriter();
  for (const head of heads) {
    writer.add(
      createSampleHead({
        app: 'flight-recorder',
        requestId: id(),
        traceId: id(),
        content: 'none',
        bytes: 0,
        keptBytes: 0,
        startedAt: now,
        ...head,
      }),
      { payload: [], debug: [], args: new Uint8Array() },
    );
  }
  await writer.flush();
}

it('has the flights of a request and its trace within a minute, of that app alone', async () => {
  const [trace, request] = [id(), id()];
  await record(
    { path: '/request', requestId: request, traceId: trace, startedAt: now - 50_000 },
    { path: '/near', traceId: trace, startedAt: now + 1_000 },
    { path: '/late', traceId: trace, startedAt: now + 61_000 },
    { path: '/other-app', traceId: trace, app: 'shop' },
    { path: '/other-trace' },
  );
  const asked = { app: 'flight-recorder', requestId: request, traceId: trace, time: now };
  const paths = async (traits: typeof asked) =>
    (await askAsOperator(() => listFlightsAround(traits))).map(({ path }) => path);
  expect(await paths(asked)).toEqual(['/request', '/near']);
  expect(await paths({ ...asked, requestId: '' })).toEqual(['/near', '/request']);
  expect(await paths({ ...asked, traceId: '' })).toEqual(['/request']);
  expect(await paths({ ...asked, requestId: '', traceId: '' })).toEqual([]);
});

it('shows twenty at most, the request’s own among them', async () => {
  const [trace, request] = [id(), id()];
  await record(
    { path: '/request', requestId: request, traceId: trace, startedAt: now - 30_000 },
    ...Array.from({ length: 25 }, (_, n) => ({ path: `/prefetch/${n}`, traceId: trace, startedAt: now + n })),
  );
  const asked = { app: 'flight-recorder', requestId: request, traceId: trace, time: now };
  const flights = await askAsOperator(() => listFlightsAround(asked));
  expect(flights.map(({ path }) => path)).toEqual([
    '/request',
    ...Array.from({ length: 19 }, (_, n) => `/prefetch/${n}`),
  ]);
});

it('finds the newest flights of an app that carried one of several digests', async () => {
  await record(
    { path: '/one', digests: ['AAAAAAAAAA'] },
    { path: '/both', digests: ['BBBBBBBBBB', 'AAAAAAAAAA'] },
    { path: '/neither', digests: ['CCCCCCCCCC'] },
    { path: '/of-shop', digests: ['AAAAAAAAAA'], app: 'shop' },
  );
  const list = async (app: string, digests: readonly string[]) =>
    (await askAsOperator(() => listFlightsOfDigests(app, digests))).map(({ path }) => path);
  expect(await list('flight-recorder', ['AAAAAAAAAA', 'BBBBBBBBBB'])).toEqual(['/both', '/one']);
  expect(await list('shop', ['AAAAAAAAAA', 'BBBBBBBBBB'])).toEqual(['/of-shop']);
  expect(await list('shop', [])).toEqual([]);
});
