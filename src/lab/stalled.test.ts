import { expect, test } from 'vitest';

import { runInRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';

import { readDelay } from './slow.tsx';
import { stall } from './stalled.tsx';
import { wait } from './wait.ts';

function createRequest(signal: AbortSignal): RequestContext {
  return makeRequest({ id: '0'.repeat(32), kind: 'navigation', path: '/lab/stalled', traceId: '0'.repeat(32), signal });
}

test('a stalled page ends when the client goes away, and not before', async () => {
  const controller = new AbortController();
  let isOver = false;
  const over = stall(controller.signal).then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  controller.abort();
  await over;
  await stall(controller.signal);
});

test('waiting ends when the client goes away', async () => {
  const controller = new AbortController();
  const waited = runInRequest(createRequest(controller.signal), () => wait(60_000));
  controller.abort();
  await waited;
});

test.each([
  ['', 2_000],
  ['ms=0', 0],
  ['ms=500', 500],
  ['ms=30001', 30_000],
  ['ms=999999999', 30_000],
  ['ms=-1', 2_000],
  ['ms=1e9', 2_000],
  ['ms=9999999999999999', 2_000],
])('the query %j waits %i ms', (query, ms) => {
  expect(readDelay(new URLSearchParams(query))).toBe(ms);
});
