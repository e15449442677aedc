import { Hono } from 'hono';
import { expect, test } from 'vitest';

import { createContext } from '#src/http/create-request-context.ts';
import { currentRequest, type RequestContext } from '#src/http/request-context.ts';
import { listBreadcrumbs } from '#src/runtime/reporting/breadcrumbs.ts';

import { requestContext } from './request-context.ts';

async function serve(answer: () => Response, headers: Record<string, string> = {}): Promise<RequestContext> {
  const served: (RequestContext | undefined)[] = [];
  const app = new Hono();
  app.use(requestContext());
  app.get('/cart', () => {
    served.push(currentRequest());
    return answer();
  });
  await app.request('/cart?item=7', { headers });
  const [context] = served;
  if (!context) throw new Error('not served within a request');
  return context;
}

test('a request that succeeds holds no text of what it did', async () => {
  const context = await serve(() => new Response('fine'));
  expect(context.breadcrumbs).toEqual([]);
  expect(listBreadcrumbs(context)).toMatchObject([{ time: context.startedAt, message: 'GET /cart (document)' }]);
});

test.each([
  ['301', '/elsewhere?token=secret', ['301 to /elsewhere?token']],
  ['307', 'https://other.example/', ['307 to https://other.example/']],
  ['304', undefined, []],
  ['200', '/not/a/redirect', []],
])('%s with the location %s', async (status, location, told) => {
  const headers = location === undefined ? undefined : { location };
  const body = status === '304' ? null : 'x';
  const context = await serve(() => new Response(body, { status: Number(status), ...(headers ? { headers } : {}) }));
  expect(
    listBreadcrumbs(context)
      .slice(1)
      .map(({ message }) => message),
  ).toEqual(told);
});

test('the baggage that arrives is kept for the upstreams, as it came', async () => {
  expect((await serve(() => new Response('fine'), { baggage: 'a=1;p, b=%zz' })).baggage).toBe('a=1;p, b=%zz');
  expect((await serve(() => new Response('fine'))).baggage).toBeUndefined();
});

const { signal } = new AbortController();

function create(headers: Headers = new Headers()) {
  return createContext({ method: 'GET', path: '/', headers, address: '', signal }, false);
}

test('ids begin with their time, in milliseconds, and go on at random', () => {
  const before = Date.now();
  const contexts = Array.from({ length: 1_000 }, () => create());
  const after = Date.now();
  for (const { id, traceId } of contexts) {
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    const passed = (Number.parseInt(id.slice(0, 8), 16) - (before % 2 ** 32) + 2 ** 32) % 2 ** 32;
    expect(passed).toBeLessThanOrEqual(after - before);
    expect(traceId.slice(0, 8)).toBe(id.slice(0, 8));
  }
  const ends = contexts.flatMap(({ id, traceId }) => [id.slice(8), traceId.slice(8)]);
  expect(new Set(ends).size).toBe(2_000);
});

test('a trace that a client has begun goes on', () => {
  const trace = 'a'.repeat(32);
  expect(create(new Headers({ 'sentry-trace': `${trace}-${'b'.repeat(16)}-1` })).traceId).toBe(trace);
});
