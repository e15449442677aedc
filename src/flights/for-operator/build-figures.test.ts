import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { currentWriter } from '../recorder/recorder.ts';
import { askAsOperator } from '../recorder/testing/ask-as-operator.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { readBuildFigures } from './build-figures.ts';
import { compareBuilds, findBuildBefore } from './compare-builds.ts';

useRecorder();

const none = { payload: [], debug: [], args: new Uint8Array() };
const now = Date.now();
const minute = 60_000;
const id = () => randomBytes(16).toString('hex');

async function record(head: Partial<FlightHead>, times = 1): Promise<void> {
  const writer = currentWriter();
  for (let n = 0; n < times; n += 1) {
    const plain = { requestId: id(), traceId: id(), app: 'shop', content: 'flight', startedAt: now - minute } as const;
    writer.add(createSampleHead({ ...plain, visit: null, ...head }), none);
  }
  await writer.flush();
}

const read = () => askAsOperator(() => readBuildFigures('shop', now));

describe('the builds of an app', () => {
  it('are listed from the last that began, with how many answers each gave, from when to when', async () => {
    await record({ build: 'a', startedAt: now - 60 * minute }, 2);
    await record({ build: 'b', startedAt: now - 20 * minute });
    // An instance that was not restarted yet.
    await record({ build: 'a', startedAt: now - minute });
    await record({ build: '', startedAt: now });
    await record({ build: 'c', app: 'other', startedAt: now });
    expect((await read()).builds).toEqual([
      { build: 'b', flights: 1, firstAt: now - 20 * minute, lastAt: now - 20 * minute, visits: 0 },
      { build: 'a', flights: 3, firstAt: now - 60 * minute, lastAt: now - minute, visits: 0 },
    ]);
  });

  it('are run by tabs: that of the newest document counts, whatever is asked for after it, for half an hour', async () => {
    const document = { kind: 'document', path: '/' } as const;
    await record({ ...document, build: 'a', visit: 'stays', startedAt: now - 50 * minute });
    // Its request is answered by the build that is served.
    await record({ kind: 'action', build: 'b', visit: 'stays', startedAt: now - minute });
    await record({ ...document, build: 'a', visit: 'reloads', startedAt: now - 50 * minute });
    await record({ ...document, build: 'b', visit: 'reloads', startedAt: now - 2 * minute });
    await record({ ...document, build: 'a', visit: 'gone', startedAt: now - 31 * minute });
    const { builds } = await read();
    expect(builds.map(({ build, visits }) => [build, visits])).toEqual([
      ['b', 1],
      ['a', 1],
    ]);
  });
});

describe('a build beside the one before it', () => {
  async function compare(build: string) {
    const figures = await read();
    return compareBuilds(figures, build, findBuildBefore(figures, build)).map(({ now: is, before, isHeavier }) => {
      return [is.route, before?.bytes, is.bytes, before?.ms, is.ms, isHeavier];
    });
  }

  it('has what grew most first, each route by what is usual', async () => {
    const [a, b] = [
      { build: 'a', startedAt: now - 60 * minute },
      { build: 'b', startedAt: now - minute },
    ];
    await record({ ...a, route: '/list', bytes: 10_000, durationMs: 20 }, 3);
    await record({ ...a, route: '/list', bytes: 900_000, durationMs: 9_000 });
    await record({ ...b, route: '/list', bytes: 15_000, durationMs: 30 }, 3);
    await record({ ...b, route: '/list', outcome: 'left', bytes: 1, durationMs: 1 }, 9);
    await record({ ...b, route: '/list', status: 409, bytes: 0, durationMs: 1 }, 9);
    await record({ ...b, route: '/fails', status: 500 }, 3);
    await record({ ...a, route: '/rare', bytes: 100 }, 2);
    await record({ ...b, route: '/rare', bytes: 90_000 }, 2);
    await record({ ...a, route: '/much', bytes: 100_000 }, 3);
    await record({ ...b, route: '/much', bytes: 109_000 }, 3);
    await record({ ...a, route: '/small', bytes: 100 }, 3);
    await record({ ...b, route: '/small', bytes: 1_000 }, 3);
    await record({ ...b, route: '/new', bytes: 50_000 }, 3);
    expect(await compare('b')).toEqual([
      ['/rare', 100, 90_000, 1, 1, false],
      ['/much', 100_000, 109_000, 1, 1, false],
      ['/list', 10_000, 15_000, 20, 30, true],
      ['/small', 100, 1_000, 1, 1, false],
      ['/new', undefined, 50_000, undefined, 1, false],
    ]);
    expect((await compare('a')).every(([, before]) => before === undefined)).toBe(true);
  });
});

it('what is usual of an even number is halfway between the two in the middle', async () => {
  for (const durationMs of [10, 14, 26, 90]) {
    await record({ build: 'b', route: '/', durationMs, startedAt: now - minute });
  }
  const [route] = compareBuilds(await read(), 'b', 'a');
  expect(route?.now.ms).toBe(20);
});

it('prefetches are not compared: their size is that of what was asked for', async () => {
  await record({ build: 'a', kind: 'prefetch', route: '/', startedAt: now - 60 * minute }, 3);
  await record({ build: 'b', kind: 'prefetch', route: '/', startedAt: now - minute }, 3);
  await record({ build: 'b', kind: 'navigation', route: '/', startedAt: now - minute }, 3);
  const routes = compareBuilds(await read(), 'b', 'a');
  expect(routes.map(({ now: { kind } }) => kind)).toEqual(['navigation']);
});
