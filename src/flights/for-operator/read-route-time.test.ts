import { randomBytes } from 'node:crypto';

import { expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { currentWriter } from '../recorder/recorder.ts';
import { askAsOperator } from '../recorder/testing/ask-as-operator.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { packSpans } from '../traces/pack-spans.ts';
import type { FlightFilter } from './match-flights.ts';
import { readRouteTime, type RouteTime } from './read-route-time.ts';

useRecorder();

const none = { payload: [], debug: [], args: new Uint8Array() };
const now = Date.now();
const hourMs = 3_600_000;

/** @returns the id of its trace */
function record(head: Partial<FlightHead>): string {
  const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
  const plain = { ...ids, app: 'shop', route: '/cart', content: 'flight', outcome: 'complete' } as const;
  currentWriter().add(createSampleHead({ ...plain, startedAt: now - hourMs, build: '', ...head }), none);
  return ids.traceId;
}

/** The page's own span, and a request within it. */
async function tell(traceId: string, startedAt: number, ms: number, app = 'shop'): Promise<void> {
  const of = { traceId, startedAt, hasFailed: false } as const;
  const spans = [
    { ...of, id: '1'.repeat(16), parent: '', name: 'GET /cart', kind: 'server', ms: ms + 4 } as const,
    { ...of, id: '2'.repeat(16), parent: '1'.repeat(16), name: 'GET prices', kind: 'client', ms } as const,
  ];
  await currentWriter().ask({ type: 'spans', app, parts: packSpans(spans) });
}

async function read(filter: FlightFilter = {}): Promise<RouteTime> {
  await currentWriter().flush();
  return askAsOperator(() => readRouteTime({ route: '/cart', ...filter }, now));
}

function list({ stretches }: RouteTime): unknown[] {
  return stretches.map(({ of, flights, p50Ms, p95Ms, p99Ms }) => {
    const name = of.kind === 'build' ? of.build : of.isLast;
    return [name, flights, p50Ms, p95Ms, p99Ms];
  });
}

it('says how long a route took in the last day and in the day before, and in each build where there are two', async () => {
  expect(await read()).toEqual({ stretches: [], spans: [], traced: 0 });
  for (let ms = 1; ms <= 100; ms += 1) record({ durationMs: ms, build: 'b' });
  expect(list(await read())).toEqual([[true, 100, 50, 95, 99]]);
  record({ durationMs: 700, build: 'a', startedAt: now - 25 * hourMs });
  // What is not of it: another route, another app, an answer that its reader left, and what is older than two days.
  record({ durationMs: 9_000, route: '/', path: '/' });
  record({ durationMs: 9_000, outcome: 'left' });
  record({ durationMs: 9_000, startedAt: now - 49 * hourMs });
  expect(list(await read())).toEqual([
    [true, 100, 50, 95, 99],
    [false, 1, 700, 700, 700],
    ['b', 100, 50, 95, 99],
    ['a', 1, 700, 700, 700],
  ]);
  expect(list(await read({ build: 'a' }))).toEqual([[false, 1, 700, 700, 700]]);
  expect(list(await read({ app: 'blog' }))).toEqual([]);
});

it('says what the server did meanwhile, of the answers that the app told of', async () => {
  const startedAt = now - hourMs;
  await tell(record({ durationMs: 30 }), startedAt, 20);
  await tell(record({ durationMs: 50 }), startedAt, 40);
  record({ durationMs: 10 });
  // Of another app with the same trace.
  await tell(record({ app: 'blog', startedAt: startedAt - 1 }), startedAt, 900, 'shop');
  const { spans, traced } = await read({ app: 'shop' });
  expect(traced).toBe(2);
  expect(spans.map(({ name, answers, p50Ms, p95Ms }) => [name, answers, p50Ms, p95Ms])).toEqual([
    ['GET prices', 2, 20, 40],
    ['GET /cart', 2, 4, 4],
  ]);
});
