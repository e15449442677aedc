import { Hono } from 'hono';
import { expect, test } from 'vitest';

import { createContext } from '#src/server/http/create-request-context.ts';
import { healthPath, metricsPath, readyPath } from '#src/server/http/addresses.ts';
import { requestCounts } from '#src/server/http/request-counts.ts';
import { currentRequest, type RequestContext } from '#src/server/http/request-context.ts';
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

test.each([healthPath, readyPath, metricsPath])(
  '%s is counted as a probe, not as a visitor’s request',
  async (path) => {
    const read = () => requestCounts.read().filter(({ value }) => value > 0);
    const before = read();
    const app = new Hono();
    app.use(requestContext());
    app.get(path, () => new Response('well'));
    await app.request(path);
    const known = before.find(({ first }) => first === 'probe')?.value ?? 0;
    const others = before.filter(({ first }) => first !== 'probe');
    expect(read()).toEqual(expect.arrayContaining([...others, { first: 'probe', second: '2xx', value: known + 1 }]));
  },
);

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

const caller = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const traceparent = `00-${caller.trace}-${caller.span}-01`;
const page = '0123456789abcdef'.repeat(2);

test('who asks with traceparent is the parent, and its trace is ours', async () => {
  const context = await serve(() => new Response('fine'), { traceparent });
  expect(context.traceId).toBe(caller.trace);
  expect(context.parent).toBe(`${caller.trace}-${caller.span}`);
});

test('a page’s own trace counts before that of a proxy in between', async () => {
  const context = await serve(() => new Response('fine'), { traceparent, 'sentry-trace': `${page}-${caller.span}` });
  expect(context.traceId).toBe(page);
  expect(context.parent).toBe(`${caller.trace}-${caller.span}`);
});

test.each([
  `ff-${caller.trace}-${caller.span}-01`,
  `00-${'0'.repeat(32)}-${caller.span}-01`,
  `00-${caller.trace}-${'0'.repeat(16)}-01`,
  `00-${caller.trace.toUpperCase()}-${caller.span}-01`,
  `00-${caller.trace}-${caller.span}`,
  `00-${caller.trace}-${caller.span}-01x`,
  'x',
  '',
])('the traceparent %j says nothing', async (header) => {
  const context = await serve(() => new Response('fine'), { traceparent: header });
  expect(context.parent).toBeNull();
  expect(context.traceId).not.toBe(caller.trace);
});

test('a later version of traceparent may have more behind', async () => {
  const context = await serve(() => new Response('fine'), { traceparent: `01-${caller.trace}-${caller.span}-01-more` });
  expect(context.traceId).toBe(caller.trace);
});
