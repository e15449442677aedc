import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { findDigest, findNearDigests, knowDigests } from './find-digest.ts';
import { findPast } from './find-past.ts';
import { mergeFaults, splitFault } from '../grouping/merge-faults.ts';
import { storeError } from '../grouping/testing/use-store.ts';
import { undoActivities } from '../grouping/undo-activities.ts';
import { listCandidates } from './digest-holder.ts';
import { readCodes } from './read-code.ts';

/** These tests are about what is found. src/faults/kept/queries-guard.test.ts tests who may look. */
useOperator();

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-digests-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

async function keep(...digests: readonly string[]): Promise<void> {
  const { db } = await openStore();
  const request = { method: 'GET', path: '/', request_id: '', trace_id: '' };
  const texts = { release: '', name: '', message: '', stack: '', frames_json: '[]', causes_json: '[]' };
  const plain = {
    side: 'server',
    app: 'shop',
    fingerprint: 'f',
    phase: 'rsc',
    kind: 'document',
    ...request,
    ...texts,
  } as const;
  await db
    .insertInto('event')
    .values(digests.map((digest, at) => ({ ...plain, id: `e${at}`, digest, time: at, received_at: at })))
    .execute();
}

async function find(typed: string): Promise<string[]> {
  return (await findDigest(readCodes(typed))).map(({ digest }) => digest);
}

it.each(['PAY-77@E1', 'pay-77@e1', 'PAY77E1', 'pay77e1', 'Digest: pay_77.e1'])(
  'another framework’s digest is found by %s',
  async (typed) => {
    await keep('PAY-77@E1', 'PAY-78@E1');
    expect(await find(typed)).toEqual(['PAY-77@E1']);
  },
);

async function addUntrusted(digest: string, app = 'shop', time = 1): Promise<void> {
  const { db } = await openStore();
  const texts = { name: '', message: '', path: '/', frames_json: '[]', breadcrumbs_json: '[]', fingerprint: 'f' };
  await db
    .insertInto('event')
    .values({ id: `r-${app}-${digest}`, app, digest, side: 'browser', time, received_at: time, ...texts })
    .execute();
}

describe('what browsers report', () => {
  it('stands behind what a server told, however late it comes', async () => {
    await keep('PAY-77@E1');
    await addUntrusted('PAY-77@E1', 'flight-recorder', 5_000);
    await addUntrusted('PAY-77@E1', 'shop', 6_000);
    const holders = await findDigest(['PAY-77@E1']);
    expect(holders).toEqual([
      { app: 'shop', digest: 'PAY-77@E1', lastTime: 0, isTrusted: true, isPast: false },
      { app: 'flight-recorder', digest: 'PAY-77@E1', lastTime: 5_000, isTrusted: false, isPast: false },
    ]);
    expect(listCandidates(holders)).toEqual(holders.slice(0, 1));
  });

  it('in the very spelling that was typed does not hide a server’s in another', async () => {
    await keep('PAY-77@E1');
    await addUntrusted('pay-77@e1', 'flight-recorder', 5_000);
    expect(await find('pay-77@e1')).toEqual(['PAY-77@E1']);
    await addUntrusted('2338734591', 'flight-recorder', 5_000);
    expect(await find('2338734591')).toEqual(['2338734591']);
  });

  it('is all there is to choose from where no server told it', async () => {
    await addUntrusted('PAY-77@E1', 'shop', 5_000);
    await addUntrusted('PAY-77@E1', 'other', 6_000);
    const holders = await findDigest(['PAY-77@E1']);
    expect(holders.map(({ app, isTrusted }) => [app, isTrusted])).toEqual([
      ['other', false],
      ['shop', false],
    ]);
    expect(listCandidates(holders)).toEqual(holders);
  });
});

it('a browser’s error is found in another spelling, too', async () => {
  await addUntrusted('Pay-77');
  const { db } = await openStore();
  expect(await find('PAY77x')).toEqual([]);
  expect(await find('pay@77')).toEqual([]);
  await db.updateTable('event').where('side', '=', 'browser').set({ digest: 'Pay-777' }).execute();
  expect(await find('pay@777')).toEqual(['Pay-777']);
});

it('a number is found with and without Next’s suffix, the one that is written first', async () => {
  await keep('1995396785', '2338734591@E394', '2338734591');
  expect(await find('1995396785@E394')).toEqual(['1995396785']);
  expect(await find('1995396785@e394')).toEqual(['1995396785']);
  expect(await find('2338734591@E394')).toEqual(['2338734591@E394']);
});

it.each(['pay', 'pay77', 'p-a-y', 'PAY-77@E', ''])('%s is none', async (typed) => {
  await keep('PAY-77@E1', 'pa.y', '-----', 'P-AY');
  expect(await find(typed)).toEqual([]);
});

it.each([
  ['TRI7', 'tri7'],
  ['TRI7', 'Tri7'],
  ['tri7', 'TRI7'],
  ['x1', 'X1'],
  ['checkout-timeout', 'CHECKOUT-TIMEOUT'],
  ['checkout-timeout', 'Checkouttimeout'],
  ['CHECKOUT', 'checkout'],
])('an app’s own %s is found by %s', async (digest, typed) => {
  await keep(digest, 'OTHER');
  expect(await find(typed)).toEqual([digest]);
});

describe('an error that was deleted', () => {
  async function leave(digest: string): Promise<void> {
    const fault = await storeError({ digest, route: '/cart', received_at: 10_000 });
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').where('id', '=', fault.id).execute();
  }

  it('is found in any spelling, and by what is nearly its digest', async () => {
    await leave('2338734591@E394');
    await leave('Pay-77');
    expect(await findDigest(['Pay-77'])).toEqual([
      { app: 'shop', digest: 'Pay-77', lastTime: 10_000, isTrusted: true, isPast: true },
    ]);
    expect(await find('pay77')).toEqual([]);
    expect(await find('PAY-77')).toEqual(['Pay-77']);
    expect(await find('2338734591')).toEqual(['2338734591@E394']);
    expect(await findNearDigests('2338734951', 20_000)).toEqual([
      { digest: '2338734591@E394', app: 'shop', time: 10_000, path: '/cart' },
    ]);
    expect(await findNearDigests('Pay-78', 20_000)).toMatchObject([{ digest: 'Pay-77' }]);
    expect(await knowDigests('shop', ['Pay-77', 'Pay-78'])).toEqual(new Set(['Pay-77']));
  });

  it('stands behind one that is kept, and before what browsers report', async () => {
    await leave('Pay-77');
    await addUntrusted('Pay-77', 'shop', 19_000);
    expect(await findDigest(['Pay-77'])).toMatchObject([{ isTrusted: true, isPast: true, lastTime: 10_000 }]);
    await keep('Pay-77');
    expect(await findDigest(['Pay-77'])).toMatchObject([{ isTrusted: true, isPast: false }]);
  });

  it('leads to the fault that its fingerprint belongs to now', async () => {
    const [one, other] = [
      await storeError({ digest: 'Pay-77', name: 'A', received_at: 10_000, path: '/z' }),
      await storeError({ digest: 'Pay-77', name: 'B', received_at: 20_000, route: '/b' }),
    ];
    await storeError({ name: 'A', received_at: 30_000 });
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').where('digest', 'is not', null).execute();
    const of = async () => (await findPast('shop', 'Pay-77')).map(({ fault, count }) => [fault, count]);
    expect(await of()).toEqual([
      [other.fault, 1],
      [one.fault, 1],
    ]);
    const merged = await mergeFaults([one.fault, other.fault], one.fault);
    expect(await of()).toEqual([[one.fault, 2]]);
    expect(await findPast('shop', 'Pay-77')).toMatchObject([{ firstTime: 10_000, lastTime: 20_000, route: '/b' }]);
    if (merged.type === 'done') await undoActivities({ batch: merged.batch });
    expect(await of()).toHaveLength(2);
    await mergeFaults([one.fault, other.fault], one.fault);
    const split = await splitFault(one.fault, [other.hash]);
    expect(split.type).toBe('done');
    const [first] = await of();
    expect(first?.[0]).not.toBe(one.fault);
  });
});
