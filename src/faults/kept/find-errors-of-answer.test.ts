import { expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';

import { storeError, useStore } from '../grouping/testing/use-store.ts';
import { findErrorsOfAnswer } from './find-errors-of-answer.ts';

useOperator();
useStore();

const answer = {
  app: 'shop',
  method: 'GET',
  requestId: 'r1',
  path: '/api/stock',
  status: 500,
  startedAt: 100_000,
  endedAt: 101_000.37,
};

function store(
  message: string,
  path: string,
  time: number,
  more: { request_id?: string; digest?: string; route?: string; method?: string } = {},
) {
  return storeError({ message, path, time, received_at: time, phase: 'route', ...more });
}

async function find(more: Partial<typeof answer> = {}) {
  return (await findErrorsOfAnswer({ ...answer, ...more })).map(({ message, by }) => `${message} by ${by}`);
}

it('is what names its request, and else what was told of its address at that time, the nearest first', async () => {
  await store('early', '/api/stock', 97_000);
  await store('late', '/api/stock', 102_500);
  await store('of another method', '/api/stock', 100_900, { method: 'POST' });
  expect(await find()).toEqual(['late by address', 'early by address']);
  await store('first', '/api/stock', 100_000, { method: 'GET' });
  await store('own', '/api/stock', 100_900);
  await store('elsewhere', '/api/cart', 100_900);
  await store('long ago', '/api/stock', 10_000);
  await store('with a digest', '/api/stock', 100_900, { digest: '2338734591' });
  await store('of another request', '/api/stock', 100_900, { request_id: 'r2' });
  expect(await find()).toEqual(['own by address', 'first by address']);
  expect(await find({ app: 'blog' })).toEqual([]);
  await store('named', '/api/other', 100_900, { request_id: 'r1' });
  expect(await find()).toEqual(['named by request']);
});

it('is, where an app said its errors without an address, what it said while the answer was under way', async () => {
  await store('before', '', 99_000);
  await store('read late', '', 102_000);
  expect(await find()).toEqual(['read late by time']);
  await store('within', '', 100_500);
  await store('of another route', '', 104_000, { route: '/api/cart' });
  await store('with a digest', '', 100_500, { digest: '2338734591' });
  await store('failed to pipe response', '', 100_500);
  expect(await find()).toEqual(['within by time']);
  // Whoever answers another status has caught the error.
  expect(await find({ status: 503 })).toEqual([]);
  await store('of its route', '', 100_400, { route: '/api/[name]' });
  expect(await find({ status: 503 })).toEqual(['of its route by time']);
  await store('of its address', '/api/stock', 97_000);
  expect(await find()).toEqual(['of its address by address']);
});
