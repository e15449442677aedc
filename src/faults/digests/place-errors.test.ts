import { afterEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';

import { storeError } from '../grouping/testing/use-store.ts';
import { findErrorDetails } from './find-error-details.ts';

useOperator();
useRecorder();

afterEach(async () => {
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
});

const now = Date.now() - 600_000;
const digest = '2226230730';

async function answer(path: string, startedAt: number): Promise<void> {
  const head = createSampleHead({ app: 'shop', path, route: '', digests: [digest], startedAt, durationMs: 100 });
  currentWriter().add(head, { payload: [], debug: [], args: new Uint8Array() });
  await currentWriter().flush();
}

async function print(id: string, time: number): Promise<void> {
  await storeError({ id, app: 'shop', digest, path: '', route: '', time, received_at: time });
}

async function ask(path: string) {
  const details = await findErrorDetails(digest, 'shop', { at: undefined, path });
  const { choice } = details ?? {};
  return { id: details?.server?.id, ...choice, candidates: choice?.candidates.map((one) => one.path) };
}

it('the page of an error that says none is that of the flight that carried its digest', async () => {
  await answer('/orders/2', now);
  await answer('/orders/3', now + 60_000);
  await print('two', now + 50);
  await print('three', now + 60_050);
  expect(await ask('/orders/2')).toMatchObject({
    id: 'two',
    type: 'only',
    isPathFound: true,
    candidates: ['/orders/2'],
  });
  expect(await ask('/nowhere')).toMatchObject({ type: 'nearest', count: 0, isPathFound: false, isPathKnown: true });
});

it('two pages at one moment leave it open, and one without a flight, too', async () => {
  await answer('/orders/2', now);
  await answer('/orders/3', now + 100);
  await print('one', now + 50);
  await print('other', now + 150);
  expect(await ask('/orders/3')).toMatchObject({ type: 'one-of', count: 2, isPathFound: false, isPathKnown: false });
  expect(await ask('/nowhere')).toMatchObject({ type: 'nearest', isPathKnown: true });
  await print('alone', now + 300_000);
  expect(await ask('/nowhere')).toMatchObject({ id: 'alone', type: 'one-of', count: 1, isPathKnown: false });
});

it('on more pages at one moment than a person looks through, it may have been anywhere', async () => {
  for (let page = 0; page < 20; page += 1) await answer(`/orders/${page}`, now + page);
  await print('one', now + 50);
  expect(await ask('/nowhere')).toMatchObject({ type: 'nearest', isPathKnown: true });
  await answer('/orders/20', now + 20);
  expect(await ask('/nowhere')).toMatchObject({ id: 'one', type: 'one-of', count: 1, isPathKnown: false });
});

it('is on the page whose flight began nearest to it, though one that began before is still under way', async () => {
  const head = createSampleHead({ app: 'shop', path: '/slow', route: '', digests: [digest], startedAt: now - 60_000 });
  currentWriter().add({ ...head, durationMs: 120_000 }, { payload: [], debug: [], args: new Uint8Array() });
  await answer('/orders/2', now);
  await print('near', now + 50);
  await print('alone', now + 30_000);
  expect(await ask('/orders/2')).toMatchObject({ id: 'near', type: 'only' });
  expect(await ask('/slow')).toMatchObject({ id: 'alone', type: 'only' });
});
