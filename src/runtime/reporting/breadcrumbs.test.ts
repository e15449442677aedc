import { expect, it } from 'vitest';

import { runInRequest, type RequestContext } from '../request-context.ts';
import { runtimeSettings } from '../settings.ts';
import { addBreadcrumb } from './breadcrumbs.ts';

it('keeps the newest hundred', () => {
  const request: RequestContext = {
    id: 'r',
    kind: 'document',
    method: 'GET',
    path: '/',
    traceId: 't',
    startedAt: 0,
    signal: new AbortController().signal,
    address: '',
    nonce: '',
    operator: undefined,
    digests: [],
    breadcrumbs: [],
  };
  runInRequest(request, () => {
    for (let n = 0; n < 130; n += 1) addBreadcrumb({ category: 'test', message: String(n), level: 'info' });
  });
  expect(request.breadcrumbs.length).toBe(runtimeSettings.breadcrumbsKept);
  expect(request.breadcrumbs[0]?.message).toBe('30');
  expect(request.breadcrumbs.at(-1)?.message).toBe('129');
});

it('does nothing outside a request', () => {
  expect(() => addBreadcrumb({ category: 'test', message: 'x', level: 'info' })).not.toThrow();
});
