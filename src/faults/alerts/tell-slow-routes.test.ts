import { randomBytes } from 'node:crypto';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { addApp } from '#src/apps/apps.ts';
import type { FlightHead } from '#src/flights/flight/flight-head.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import type { ChannelRules } from './channel.ts';
import { addChannel, listDeliveries, pauseChannel } from './channels.ts';
import { describeAlert } from './describe-alert.ts';
import { tellSlowRoutes } from './tell-slow-routes.ts';

useOperator();

useRecorder();

const none = { payload: [], debug: [], args: new Uint8Array() };
const now = Date.now();
const hour = 3_600_000;
const rules: ChannelRules = {
  new: false,
  back: false,
  volume: null,
  slow: { ms: 500, answers: 20, route: null },
  apps: null,
  untrusted: false,
  inside: true,
};

let store: Store;

beforeEach(async () => {
  store = await openStore();
  await addApp('Shop');
});

afterEach(async () => {
  await store.close();
});

let channels = 0;

async function channel(of: Partial<ChannelRules> = {}): Promise<string> {
  const target = `https://chat.example/${(channels += 1)}`;
  const added = await addChannel({ name: 'ops', kind: 'slack', target, rules: { ...rules, ...of } });
  if (typeof added === 'string') throw new Error(added);
  return added.id;
}

/** So many answers, of which all but the slowest 6 in 100 take 10 ms. */
async function record(answers: number, slowMs: number, head: Partial<FlightHead> = {}): Promise<void> {
  const of = { app: 'shop', route: '/cart', kind: 'document', content: 'none', outcome: 'complete' } as const;
  for (let n = 0; n < answers; n += 1) {
    const requestId = randomBytes(16).toString('hex');
    const durationMs = n < answers * 0.06 ? slowMs : 10;
    currentWriter().add(createSampleHead({ ...of, requestId, startedAt: now - 60_000, durationMs, ...head }), none);
  }
  await currentWriter().flush();
}

async function listTold() {
  return (await listDeliveries()).map(({ content }) => describeAlert(content, 'https://f.example')).toReversed();
}

it('tells the slowest routes of the hour in one message, with how slow and of how many answers', async () => {
  await channel();
  expect(await tellSlowRoutes(store, now)).toBe(0);
  await record(100, 800);
  for (const route of ['/a', '/b', '/c']) await record(20, 600, { route, kind: 'navigation' });
  expect(await tellSlowRoutes(store, now)).toBe(1);
  expect(await listTold()).toMatchObject([
    {
      title: '4 routes are slow',
      facts: [
        { name: 'App', value: 'Shop' },
        { name: 'Route', value: '/cart (document): 95 of 100 within 800 ms, of 100 answers' },
        { name: 'Route', value: '/a (navigation): 95 of 100 within 600 ms, of 20 answers' },
        { name: 'Route', value: '/b (navigation): 95 of 100 within 600 ms, of 20 answers' },
        { name: 'Limit', value: '500 ms, in the last hour' },
      ],
      notes: ['And 1 other.', expect.any(String)],
      link: { url: 'https://f.example/flights?app=shop&view=routes' },
    },
  ]);
});

it('tells nobody of what is fast, rare, older than an hour, left by its reader, or of a channel that does not ask', async () => {
  await channel();
  await channel({ slow: null, new: true });
  await channel({ apps: ['blog'] });
  await channel({ slow: { ms: 500, answers: 20, route: '/other' } });
  await pauseChannel(await channel(), true);
  await record(100, 500);
  await record(19, 9_000, { route: '/rare' });
  await record(40, 9_000, { route: '/old', startedAt: now - hour });
  await record(40, 9_000, { route: '/left', outcome: 'left' });
  expect(await tellSlowRoutes(store, now)).toBe(0);
  for (const route of ['/other', '/third']) await record(20, 501, { route });
  expect(await tellSlowRoutes(store, now)).toBe(2);
  expect((await listTold()).map(({ title }) => title).toSorted()).toEqual(['2 routes are slow', 'A route is slow']);
});

it('tells a route once a day, and another one of the app an hour later', async () => {
  await channel();
  await record(20, 900);
  expect(await tellSlowRoutes(store, now)).toBe(1);
  expect(await tellSlowRoutes(store, now + 60_000)).toBe(0);
  const [later, tomorrow] = [now + hour, now + 25 * hour];
  await record(20, 900, { startedAt: later });
  await record(20, 900, { route: `/${'é'.repeat(2_000)}`, startedAt: later });
  expect(await tellSlowRoutes(store, later - 60_000)).toBe(0);
  expect(await tellSlowRoutes(store, later)).toBe(1);
  await record(20, 900, { startedAt: tomorrow });
  expect(await tellSlowRoutes(store, tomorrow)).toBe(1);
  const titles = (await listTold()).map(({ title, facts }) => [title, facts[1]?.value.slice(0, 6)]);
  expect(titles).toEqual([
    ['A route is slow', '/cart '],
    ['A route is slow', '/ééééé'],
    ['A route is slow', '/cart '],
  ]);
});
