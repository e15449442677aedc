import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { findDigest } from './find-digest.ts';
import { listCandidates } from './digest-holder.ts';
import { readCodes } from './read-code.ts';

/** These tests are about what is found. src/reports/queries-guard.test.ts tests who may look. */
vi.mock('#src/operator/require-operator.ts', () => ({ requireOperator: () => ({ kind: 'login-off' }) }));

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
  const plain = { app: 'shop', fingerprint: 'f', phase: 'rsc', kind: 'document', ...request, ...texts } as const;
  await db
    .insertInto('error')
    .values(digests.map((digest, at) => ({ ...plain, id: `e${at}`, digest, time: at })))
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

async function claim(digest: string, app = 'shop', time = 1): Promise<void> {
  const { db } = await openStore();
  const texts = { name: '', message: '', path: '/', frames_json: '[]', breadcrumbs_json: '[]', fingerprint: 'f' };
  await db
    .insertInto('report')
    .values({ event_id: `r-${app}-${digest}`, app, digest, side: 'browser', time, received_at: time, ...texts })
    .execute();
}

describe('what browsers claim', () => {
  it('stands behind what a server told, however late it comes', async () => {
    await keep('PAY-77@E1');
    await claim('PAY-77@E1', 'flight-recorder', 5_000);
    await claim('PAY-77@E1', 'shop', 6_000);
    const holders = await findDigest(['PAY-77@E1']);
    expect(holders).toEqual([
      { app: 'shop', digest: 'PAY-77@E1', lastTime: 0, isTold: true },
      { app: 'flight-recorder', digest: 'PAY-77@E1', lastTime: 5_000, isTold: false },
    ]);
    expect(listCandidates(holders)).toEqual(holders.slice(0, 1));
  });

  it('in the very spelling that was typed does not hide a server’s in another', async () => {
    await keep('PAY-77@E1');
    await claim('pay-77@e1', 'flight-recorder', 5_000);
    expect(await find('pay-77@e1')).toEqual(['PAY-77@E1']);
    await claim('2338734591', 'flight-recorder', 5_000);
    expect(await find('2338734591')).toEqual(['2338734591']);
  });

  it('is all there is to choose from where no server told it', async () => {
    await claim('PAY-77@E1', 'shop', 5_000);
    await claim('PAY-77@E1', 'other', 6_000);
    const holders = await findDigest(['PAY-77@E1']);
    expect(holders.map(({ app, isTold }) => [app, isTold])).toEqual([
      ['other', false],
      ['shop', false],
    ]);
    expect(listCandidates(holders)).toEqual(holders);
  });
});

it('a browser’s report is found in another spelling, too', async () => {
  await claim('Pay-77');
  const { db } = await openStore();
  expect(await find('PAY77x')).toEqual([]);
  expect(await find('pay@77')).toEqual([]);
  await db.updateTable('report').set({ digest: 'Pay-777' }).execute();
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
