import { randomBytes } from 'node:crypto';

import { afterEach, expect, it } from 'vitest';

import type { FlightHead } from '#src/flights/flight/flight-head.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';
import { openStore } from '#src/store/open-store.ts';

import { createBuildFollower } from './follow-builds.ts';

useRecorder();

afterEach(async () => {
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
});

async function answer(build: string, startedAt: number, app = 'shop', more: Partial<FlightHead> = {}): Promise<void> {
  const writer = currentWriter();
  const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
  writer.add(createSampleHead({ ...ids, app, build, startedAt, ...more }), {
    payload: [],
    debug: [],
    args: new Uint8Array(),
  });
  await writer.flush();
}

async function readHeard() {
  const { db } = await openStore();
  const rows = await db.selectFrom('app_release').selectAll().orderBy('app').orderBy('first_time').execute();
  return rows.map(({ app, side, name, first_time }) => [app, side, name, first_time]);
}

it('a build is heard of with its first answer, before any error of it', async () => {
  const look = createBuildFollower();
  await look();
  await answer('a', 1_000);
  await answer('a', 2_000);
  await answer('', 2_500);
  await answer('a', 3_000, 'other');
  await look();
  await answer('b', 4_000);
  await answer('a', 5_000);
  await look();
  const heard = [
    ['other', 'server', 'a', 3_000],
    ['shop', 'server', 'a', 1_000],
    ['shop', 'server', 'b', 4_000],
  ];
  expect(await readHeard()).toEqual(heard);
  // After a restart, nothing is heard of twice, and nothing later.
  await createBuildFollower()();
  expect(await readHeard()).toEqual(heard);
});

it('what a tab of another build called is a fault, with the build that had the action', async () => {
  const look = createBuildFollower();
  const now = Date.now();
  const call = { kind: 'action', path: '/cart', visit: 'ada', source: 'proxy' } as const;
  await answer('a', now - 9_000, 'shop', { ...call, actionId: '40aa', status: 200 });
  await answer('b', now - 5_000, 'shop', { ...call, actionId: '40aa', status: 409, tabBuild: 'unknown' });
  await look();
  await answer('b', now - 4_000, 'shop', { ...call, actionId: '40bb', status: 409, tabBuild: 'unknown' });
  await look();
  await createBuildFollower()();
  const { db } = await openStore();
  const rows = await db.selectFrom('event').select(['name', 'message', 'release']).orderBy('time').execute();
  expect(rows).toEqual([
    { name: 'OldTab', message: 'This tab is from build a, you serve build b', release: 'b' },
    { name: 'OldTab', message: 'This tab is from an earlier build, you serve build b', release: 'b' },
  ]);
});

it('of more than a look reads, the next look reads the rest', async () => {
  const look = createBuildFollower();
  const now = Date.now();
  for (let tab = 0; tab < 503; tab += 1) {
    const call = { kind: 'navigation', path: '/cart', visit: `tab ${tab}`, source: 'proxy', tabBuild: 'a' } as const;
    currentWriter().add(
      createSampleHead({
        requestId: randomBytes(16).toString('hex'),
        app: 'shop',
        build: 'b',
        startedAt: now - 1_000,
        ...call,
      }),
      { payload: [], debug: [], args: new Uint8Array() },
    );
  }
  await currentWriter().flush();
  const { db } = await openStore();
  const count = async () =>
    (await db.selectFrom('fault').select('count').where('name', '=', 'OldTab').executeTakeFirst())?.count;
  await look();
  expect(await count()).toBe(500);
  await look();
  expect(await count()).toBe(503);
});
