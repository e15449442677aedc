import { afterEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';

import { listFaultIds, listFaults } from './list-faults.ts';
import { storeError } from './testing/use-store.ts';

useOperator();
useRecorder();

afterEach(async () => {
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
});

async function answer(app: string, path: string, route: string, digest: string): Promise<void> {
  const head = createSampleHead({ app, path, route, digests: [digest] });
  currentWriter().add(head, { payload: [], debug: [], args: new Uint8Array() });
  await currentWriter().flush();
}

/** Of the output: with a digest, and no word on its place. */
async function print(message: string, app: string, digest: string): Promise<string> {
  return (await storeError({ app, digest, message, path: '', route: '' })).fault;
}

it('knows the route of an error that names none by the flights that carried its digest', async () => {
  const boom = await print('boom', 'shop', '11');
  const layout = await print('layout', 'shop', '12');
  await print('of another app', 'blog', '11');
  await answer('shop', '/boom/7', '/boom/[id]', '11');
  await answer('shop', '/other', '/other', '12');
  const list = (route: string, app?: string) =>
    listFaultIds({ filter: { state: 'any', route, app }, text: '', order: 'last', limit: 10 });
  expect(await list('BOOM')).toEqual([boom]);
  expect(await list('"/boom/[id]"', 'shop')).toEqual([boom]);
  expect(await list('"/boom"')).toEqual([]);
  expect(await list('/boom', 'blog')).toEqual([]);
  expect(await list('/other')).toEqual([layout]);
  const query = { text: '', order: 'last', place: undefined, limit: 10, hours: 24 } as const;
  expect(await listFaults({ ...query, filter: { state: 'any', route: '/other' } })).toMatchObject({ filtered: 1 });
});
