import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { ownApp } from '#src/store/own-app.ts';

import { askAsOperator } from '../recorder/testing/ask-as-operator.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { currentWriter } from '../recorder/recorder.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import type { FlightFilter } from './match-flights.ts';
import { rankRoutes, type RankedRoutes } from './rank-routes.ts';

useRecorder();

const none = { payload: [], debug: [], args: new Uint8Array() };
const now = Date.now();
const hour = 3_600_000;

async function record(head: Partial<FlightHead>, times: number): Promise<void> {
  const writer = currentWriter();
  for (let n = 0; n < times; n += 1) {
    const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
    const plain = { ...ids, app: ownApp, content: 'flight', startedAt: now - hour } as const;
    writer.add(createSampleHead({ ...plain, ...head }), none);
  }
  await writer.flush();
}

function rank(filter: FlightFilter = {}): Promise<RankedRoutes> {
  return Promise.resolve(askAsOperator(() => rankRoutes(filter, now)));
}

describe('the routes of the newest flights', () => {
  it('are ranked by what 95 of 100 flights stay within, so one that was slow once is not slow', async () => {
    await record({ route: '/steady', durationMs: 50, bytes: 10 }, 40);
    await record({ route: '/once', durationMs: 5, bytes: 900 }, 39);
    await record({ route: '/once', durationMs: 9_000, bytes: 900 }, 1);
    const { slow, heavy, flights, hours } = await rank();
    expect(slow.map(({ route, value }) => [route, value])).toEqual([
      ['/steady', 50],
      ['/once', 5],
    ]);
    expect(heavy.map(({ route, value, flights: of }) => [route, value, of])).toEqual([
      ['/once', 900, 40],
      ['/steady', 10, 40],
    ]);
    expect([flights, hours]).toEqual([80, 24]);
  });

  it('are five at most, each kind and app by itself, without those whose reader left or that sent nothing', async () => {
    for (let n = 1; n <= 6; n += 1) await record({ route: `/r${n}`, durationMs: n, bytes: 0 }, 1);
    await record({ route: '/r6', kind: 'prefetch', durationMs: 7 }, 1);
    await record({ route: '/r6', app: 'shop', durationMs: 8 }, 1);
    await record({ route: '/left', outcome: 'left', durationMs: 99 }, 1);
    const { slow, heavy } = await rank();
    expect(slow.map(({ route, kind, app }) => `${app} ${kind} ${route}`)).toEqual([
      'shop document /r6',
      `${ownApp} prefetch /r6`,
      `${ownApp} document /r6`,
      `${ownApp} document /r5`,
      `${ownApp} document /r4`,
    ]);
    expect(heavy.map(({ route }) => route)).not.toContain('/r1');
    expect((await rank({ app: 'shop' })).slow.map(({ route }) => route)).toEqual(['/r6']);
    expect((await rank({ isOfOthers: true })).slow.map(({ app }) => app)).toEqual(['shop']);
  });

  it('are said to be the newest alone where there are more', async () => {
    await record({ route: '/many', app: 'shop', durationMs: 1 }, 5_002);
    await record({ route: '/few', app: 'blog', durationMs: 1 }, 60);
    expect(await rank({ app: 'shop' })).toMatchObject({ flights: 5_000, isCut: true });
    expect(await rank({ app: 'blog' })).toMatchObject({ flights: 60, isCut: false });
    expect(await rank()).toMatchObject({ flights: 5_000, isCut: true });
  });

  it('are those of a week where a day has few, and never older', async () => {
    await record({ route: '/today', durationMs: 1 }, 49);
    await record({ route: '/this-week', durationMs: 2, startedAt: now - 48 * hour }, 1);
    await record({ route: '/long-ago', durationMs: 3, startedAt: now - 200 * hour }, 1);
    const few = await rank();
    expect([few.slow.map(({ route }) => route), few.hours, few.flights]).toEqual([['/this-week', '/today'], 168, 50]);
    await record({ route: '/today', durationMs: 1 }, 1);
    const many = await rank();
    expect([many.slow.map(({ route }) => route), many.hours, many.flights]).toEqual([['/today'], 24, 50]);
  });
});
