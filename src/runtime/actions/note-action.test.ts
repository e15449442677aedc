import { expect, test, vi } from 'vitest';

import { listBreadcrumbs } from '../reporting/breadcrumbs.ts';
import { runInRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import { runNoted } from './note-action.ts';

function createRequest(): RequestContext {
  return makeRequest({
    id: 'r',
    kind: 'action',
    method: 'POST',
    path: '/cart',
    traceId: 't',
    startedAt: 7,
    action: { id: 'cart.ts#empty', contentType: '', body: new Uint8Array() },
  });
}

/** What Waku throws for `unstable_redirect` and `unstable_notFound`. */
function control(info: { readonly status?: number; readonly location?: string }): Error {
  return Object.assign(new Error('control'), { digest: `__WAKU_CUSTOM_ERROR__;${JSON.stringify(info)}` });
}

async function breadcrumbsOf(run: () => unknown): Promise<string[]> {
  const request = createRequest();
  await Promise.allSettled([runInRequest(request, () => runNoted(run))]);
  return listBreadcrumbs(request)
    .slice(1)
    .map(({ category, message, level }) => `${category} ${level}: ${message}`);
}

test('an action’s end is a breadcrumb of its request', async () => {
  expect(await breadcrumbsOf(() => 1)).toEqual(['action info: cart.ts#empty returned']);
  expect(await breadcrumbsOf(() => Promise.reject(new Error('no')))).toEqual(['action error: cart.ts#empty thrown']);
  expect(await breadcrumbsOf(() => Promise.reject(control({ status: 404 })))).toEqual([
    'action info: cart.ts#empty not-found',
  ]);
});

test('one that redirects says where to, without the values of the query', async () => {
  expect(await breadcrumbsOf(() => Promise.reject(control({ status: 303, location: '/orders?token=secret' })))).toEqual(
    ['action info: cart.ts#empty redirected', 'redirect info: 303 to /orders?token'],
  );
});

test('so is how long it took', async () => {
  vi.useFakeTimers({ now: 1_000 });
  const request = createRequest();
  try {
    await runInRequest(request, () => runNoted(() => vi.setSystemTime(1_250)));
  } finally {
    vi.useRealTimers();
  }
  expect(listBreadcrumbs(request)[1]).toMatchObject({ time: 1_250, data: { ms: 250 } });
});

test('its result and its error are passed on as they are', async () => {
  const failure = new Error('no');
  for (const run of [runNoted, (act: () => unknown) => runInRequest(createRequest(), () => runNoted(act))]) {
    expect(await run(() => 42)).toBe(42);
    await expect(run(() => Promise.reject(failure))).rejects.toBe(failure);
  }
});
