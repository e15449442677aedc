import { randomBytes } from 'node:crypto';

import { expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { currentWriter } from '../recorder/recorder.ts';
import { askAsOperator } from '../recorder/testing/ask-as-operator.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { findNextBuild, type NextBuild } from './find-next-build.ts';
import { findFlightOfRequest } from './queries.ts';

useRecorder();

const none = { payload: [], debug: [], args: new Uint8Array() };
const now = Date.now();
const cut = 'c'.repeat(32);

function record(head: Partial<FlightHead>): void {
  const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
  currentWriter().add(createSampleHead({ ...ids, app: 'shop', content: 'flight', ...head }), none);
}

async function find(): Promise<NextBuild | undefined> {
  await currentWriter().flush();
  return askAsOperator(async () => {
    const flight = await findFlightOfRequest(cut);
    return flight && findNextBuild(flight);
  });
}

it('finds the other build of the app that answered first within a minute of the end', async () => {
  record({ requestId: cut, build: 'a', startedAt: now, durationMs: 1_000 });
  record({ build: 'a', startedAt: now + 2_000 });
  record({ build: 'x', startedAt: now + 2_000, app: 'blog' });
  record({ build: '', startedAt: now + 2_000 });
  record({ build: 'late', startedAt: now + 62_000 });
  expect(await find()).toBeUndefined();
  record({ build: 'c', startedAt: now + 9_000 });
  record({ build: 'b', startedAt: now + 5_000 });
  expect(await find()).toEqual({ build: 'b', afterMs: 4_000 });
});

it('finds none where the build of the flight is not known', async () => {
  record({ requestId: cut, build: '', startedAt: now, durationMs: 1_000 });
  record({ build: 'b', startedAt: now + 2_000 });
  expect(await find()).toBeUndefined();
});
