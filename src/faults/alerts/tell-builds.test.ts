import { randomBytes } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import type { FlightHead } from '#src/flights/flight/flight-head.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { storeError } from '../grouping/testing/use-store.ts';
import { noteBuilds } from '../builds/note-builds.ts';
import type { ChannelRules } from './channel.ts';
import { addChannel, listDeliveries } from './channels.ts';
import { describeAlert } from './describe-alert.ts';
import { tellBuilds } from './tell-builds.ts';

useOperator();

const minute = 60_000;
const hour = 60 * minute;
const rules: ChannelRules = {
  new: true,
  back: false,
  volume: null,
  slow: null,
  apps: null,
  untrusted: false,
  inside: true,
};

useRecorder();

let store: Store;
let now: number;

beforeEach(async () => {
  now = Date.now();
  store = await openStore();
});
afterEach(() => store.close());

/** @param createdAt before the deploy, unless it is said */
async function channel(of: Partial<ChannelRules> = {}, name = 'ops', createdAt = now - 6 * hour): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: createdAt });
  await addChannel({ name, kind: 'slack', target: 'https://chat.example/hook', rules: { ...rules, ...of } });
  vi.useRealTimers();
}

async function answer(head: Partial<FlightHead>): Promise<void> {
  const writer = currentWriter();
  for (let n = 0; n < 3; n += 1) {
    const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
    const flight = { ...ids, app: 'shop', route: '/list', content: 'flight', ...head } as const;
    writer.add(createSampleHead(flight), { payload: [], debug: [], args: new Uint8Array() });
  }
  await writer.flush();
}

/** Build b, some time after build a. */
async function deploy(bytes: number, startedAt = now - 20 * minute): Promise<void> {
  await answer({ build: 'a', startedAt: now - 5 * hour, bytes: 10_000 });
  await answer({ build: 'b', startedAt, bytes });
  await noteBuilds([
    { app: 'shop', build: 'a', firstAt: now - 5 * hour },
    { app: 'shop', build: 'b', firstAt: startedAt },
  ]);
}

async function readSent() {
  return (await listDeliveries()).map(({ content }) => describeAlert(content, 'https://flight.example'));
}

describe('after a deploy', () => {
  it('it is told once what is new and what got heavier', async () => {
    await channel();
    await deploy(25_000);
    await storeError({ release: 'b', message: 'no price', received_at: now - 10 * minute });
    await storeError({ release: 'a', message: 'old', received_at: now - 4 * hour });
    await storeError({ release: 'b', message: 'old', received_at: now - 9 * minute });
    expect(await tellBuilds(store, now)).toBe(1);
    expect(await tellBuilds(store, now + minute)).toBe(0);
    expect(await readSent()).toEqual([
      {
        title: 'A new build brought 1 new fault and 1 heavier route',
        headline: undefined,
        facts: [
          { name: 'App', value: 'shop' },
          { name: 'Build', value: 'b, after a' },
          { name: 'Fault', value: 'Error: no price (/)' },
          { name: 'Heavier', value: '/list (document): 25 kB of Flight, was 10 kB' },
        ],
        notes: [],
        link: { text: 'Open the builds', url: 'https://flight.example/apps/shop/builds' },
      },
    ]);
  });

  it.each([
    ['it has not settled', 14, 25_000],
    ['it is too old', 25 * 60, 25_000],
    ['it brought nothing', 20, 10_000],
  ])('nothing is told while %s', async (_, minutes, bytes) => {
    await channel();
    await deploy(bytes, now - minutes * minute);
    expect(await tellBuilds(store, now)).toBe(0);
    expect(await readSent()).toEqual([]);
  });

  it('nothing is told of the first build that is known, nor to a channel that wants nothing new', async () => {
    await channel({ new: false });
    await channel({ apps: ['other'] }, 'others');
    await channel({}, 'late', now);
    await deploy(25_000);
    expect(await tellBuilds(store, now)).toBe(0);
    await channel({}, 'all');
    await answer({ app: 'first', build: 'x', startedAt: now - 20 * minute });
    await noteBuilds([{ app: 'first', build: 'x', firstAt: now - 20 * minute }]);
    expect(await tellBuilds(store, now)).toBe(1);
    expect((await readSent()).map(({ facts }) => facts[0]?.value)).toEqual(['shop']);
  });
});
