import { describe, expect, it, test } from 'vitest';

import { runInRequest, type RequestContext, type RequestFact } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import { runtimeSettings } from '../settings.ts';
import { addBreadcrumb, listBreadcrumbs, noteFact, noteRedirect } from './breadcrumbs.ts';

function createRequest(breadcrumbs: RequestFact[] = []): RequestContext {
  return makeRequest({ id: 'r', kind: 'navigation', path: '/orders', traceId: 't', startedAt: 7, breadcrumbs });
}

const note = { category: 'cart', message: 'emptied' } as const;

describe('the newest hundred', () => {
  it('are kept, and listed', () => {
    const request = createRequest();
    runInRequest(request, () => {
      for (let n = 0; n < 130; n += 1) addBreadcrumb({ ...note, message: String(n) });
    });
    expect(request.breadcrumbs.length).toBe(runtimeSettings.breadcrumbsKept);
    const listed = listBreadcrumbs(request);
    expect(listed.length).toBe(runtimeSettings.breadcrumbsKept);
    expect(listed[0]?.message).toBe('30');
    expect(listed.at(-1)?.message).toBe('129');
  });

  it('begin with the arrival while there is room', () => {
    const request = createRequest([{ type: 'render-began', time: 8 }]);
    expect(listBreadcrumbs(request)).toEqual([
      { time: 7, category: 'http', message: 'GET /orders (navigation)', level: 'info' },
      { time: 8, category: 'render', message: 'Rendering began', level: 'info' },
    ]);
  });
});

describe('an app’s own', () => {
  it('have a level and data, and need neither', () => {
    const request = createRequest();
    runInRequest(request, () => {
      addBreadcrumb(note);
      addBreadcrumb({ ...note, level: 'warning', data: { items: 3, coupon: 'none' } });
    });
    const time = expect.any(Number);
    expect(listBreadcrumbs(request).slice(1)).toStrictEqual([
      { time, ...note, level: 'info' },
      { time, ...note, level: 'warning', data: { items: 3, coupon: 'none' } },
    ]);
  });

  it('are cut: the category, the message, and each part of the data', () => {
    const long = 'x'.repeat(100_000);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}${long}`, long]));
    const request = createRequest();
    runInRequest(request, () => addBreadcrumb({ category: long, message: long, data: many }));
    const [, cut] = listBreadcrumbs(request);
    expect(cut?.category.length).toBe(64);
    expect(cut?.message.length).toBe(512);
    expect(JSON.stringify(cut).length).toBeLessThan(20_000);
  });

  it('do nothing outside a request', () => {
    expect(() => addBreadcrumb(note)).not.toThrow();
  });
});

test('an address is cut like the words of an app', () => {
  const request = createRequest([{ type: 'redirect', time: 8, status: 307, location: `/${'x'.repeat(9000)}` }]);
  const listed = listBreadcrumbs({ ...request, path: `/${'y'.repeat(9000)}` });
  expect(listed.map(({ message }) => message.length)).toEqual([512, 512]);
});

test('a redirect that passes two places is noted once', () => {
  const request = createRequest();
  noteRedirect(307, '/login', request);
  noteRedirect(303, '/login', request);
  noteRedirect(303, '/other', request);
  noteRedirect(307, '/login', request);
  expect(
    listBreadcrumbs(request)
      .map(({ message }) => message)
      .slice(1),
  ).toEqual(['307 to /login', '303 to /other', '307 to /login']);
});

test('addresses are told without the values of their queries', () => {
  const told = ['/a?token=secret&page=2#x', 'https://me:secret@host/a?b=secret', '//host/a', 'http://['].map(
    (location) => listBreadcrumbs(createRequest([{ type: 'redirect', time: 8, status: 307, location }]))[1]?.message,
  );
  expect(told).toEqual([
    '307 to /a?token&page',
    '307 to https://host/a?b',
    '307 to http://host/a',
    '307 to (no address)',
  ]);
});

test('a fact belongs to the request that is named, or to the one being served', () => {
  const [served, named] = [createRequest(), createRequest()];
  runInRequest(served, () => {
    noteFact({ type: 'render-began', time: 1 });
    noteFact({ type: 'first-byte', time: 2 }, named);
  });
  noteFact({ type: 'render-began', time: 3 });
  expect(served.breadcrumbs).toEqual([{ type: 'render-began', time: 1 }]);
  expect(named.breadcrumbs).toEqual([{ type: 'first-byte', time: 2 }]);
});

test.each<[RequestFact, object]>([
  [
    { type: 'first-byte', time: 9 },
    { category: 'render', message: 'The first bytes were sent', level: 'info' },
  ],
  [
    { type: 'redirect', time: 9, status: 307, location: '/login' },
    { category: 'redirect', message: '307 to /login', level: 'info' },
  ],
  [
    { type: 'action', time: 9, id: 'save.ts#save', ms: 12, outcome: 'returned' },
    { category: 'action', message: 'save.ts#save returned', level: 'info', data: { ms: 12 } },
  ],
  [
    { type: 'action', time: 9, id: 'save.ts#save', ms: 12, outcome: 'thrown' },
    { category: 'action', message: 'save.ts#save thrown', level: 'error', data: { ms: 12 } },
  ],
  [
    { type: 'page-data', time: 9, url: 'http://api/a?b', attempt: 1, result: 503, ms: 4, waitMs: 80 },
    { category: 'page-data', message: 'http://api/a?b 503', level: 'warning', data: { attempt: 1, ms: 4, waitMs: 80 } },
  ],
  [
    { type: 'page-data', time: 9, url: 'http://api/a', attempt: 4, result: 'ECONNRESET', ms: 4, waitMs: undefined },
    { category: 'page-data', message: 'http://api/a ECONNRESET', level: 'warning', data: { attempt: 4, ms: 4 } },
  ],
  [
    { type: 'page-data', time: 9, url: 'http://api/a', attempt: 1, result: 200, ms: 4, waitMs: undefined },
    { category: 'page-data', message: 'http://api/a 200', level: 'info', data: { attempt: 1, ms: 4 } },
  ],
])('%j is told in words', (fact, told) => {
  expect(listBreadcrumbs(createRequest([fact]))[1]).toStrictEqual({ time: 9, ...told });
});
