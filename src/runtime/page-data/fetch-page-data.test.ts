import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { inspect } from 'node:util';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { listBreadcrumbs } from '../reporting/breadcrumbs.ts';
import { runInRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import { fetchPageData, readRetryAfter, type PageDataInit } from './fetch-page-data.ts';
import { isPageDataError } from './page-data-error.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

type Trace = { readonly sentry: string | undefined; readonly baggage: string | undefined };

/** What the upstream does, one answer per request. The last one repeats. */
let answers: Answer[] = [];
let arrivals: { readonly time: number; readonly method: string; readonly url: string; readonly trace: Trace }[] = [];
let base = '';
let closed: Promise<void>[] = [];

const server = createServer((request, response) => {
  const { 'sentry-trace': sentry, baggage } = request.headers;
  const trace = { sentry: sentry?.toString(), baggage: baggage?.toString() };
  arrivals.push({ time: Date.now(), method: request.method ?? '', url: request.url ?? '', trace });
  closed.push(new Promise((resolve) => response.on('close', resolve)));
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  answer?.(response, request);
});

function status(code: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (response) => response.writeHead(code, headers).end(body);
}

function hangUp(response: ServerResponse): void {
  response.socket?.destroy();
}

/** Sends a status and the beginning of a body, and then resets the connection. */
function breakOff(response: ServerResponse): void {
  response.writeHead(503, { 'content-length': '100' });
  response.write('x', () => response.socket?.resetAndDestroy());
}

function stall(): void {
  // Sends nothing, and keeps the connection open.
}

/** Lets the real network and the faked clock advance in turns, 10 ms of the clock per turn, until `promise` settles. */
async function settle<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const settled = Promise.allSettled([promise]);
  for (;;) {
    const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
    const first = await Promise.race([settled, turn]);
    if (first) return first[0];
    await vi.advanceTimersByTimeAsync(10);
  }
}

async function failureOf(promise: Promise<unknown>) {
  const result = await settle(promise);
  const reason: unknown = result.status === 'rejected' ? result.reason : undefined;
  if (!isPageDataError(reason)) throw new Error('expected a PageDataError', { cause: reason });
  return reason;
}

function createContext(signal = new AbortController().signal, baggage?: string): RequestContext {
  return makeRequest({ traceId: 'a'.repeat(32), signal, baggage });
}

beforeEach(async () => {
  answers = [status(200, {}, 'fine')];
  arrivals = [];
  closed = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  base = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('retries', () => {
  test('a 5xx is tried again, up to three times, with growing delays', async () => {
    answers = [status(500), status(502), status(503), status(200, {}, 'at last')];
    const result = await settle(fetchPageData(base));
    expect(result.status === 'fulfilled' && (await result.value.text())).toBe('at last');
    const delays = arrivals.slice(1).map((arrival, index) => arrival.time - (arrivals[index]?.time ?? 0));
    expect(delays).toHaveLength(3);
    expect(delays[0]).toBeGreaterThanOrEqual(50);
    expect(delays[1]).toBeGreaterThanOrEqual(100);
    expect(delays[2]).toBeGreaterThanOrEqual(200);
  });

  test('delays are spread at random between half and all of their length', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(1);
    answers = [status(500), status(500), status(200)];
    await settle(fetchPageData(base));
    const [first = 0, second = 0, third = 0] = arrivals.map(({ time }) => time);
    expect(second - first).toBeGreaterThanOrEqual(50);
    expect(third - second).toBeGreaterThanOrEqual(200);
    expect(Math.random).toHaveBeenCalledTimes(2);
    vi.mocked(Math.random).mockRestore();
  });

  test('what still fails is an error with the last status and every attempt counted', async () => {
    answers = [status(500), status(503)];
    const alone = await failureOf(fetchPageData(`${base}/orders?s3cr3tvalue&draft`));
    expect(alone).toMatchObject({ url: `${base}/orders?…&draft` });
    const error = await failureOf(fetchPageData(`${base}/orders?token=secret&page=2`));
    expect(error).toMatchObject({
      name: 'PageDataError',
      phase: 'page-data',
      url: `${base}/orders?token&page`,
      status: 503,
      attempts: 4,
      reason: 'status',
    });
    expect(error.message).not.toContain('secret');
    expect(arrivals).toHaveLength(8);
  });

  test('a broken connection is tried again', async () => {
    answers = [hangUp, status(200, {}, 'back')];
    const result = await settle(fetchPageData(base));
    expect(result.status === 'fulfilled' && (await result.value.text())).toBe('back');
  });

  test('no connection at all is an error that has its cause', async () => {
    answers = [hangUp];
    const error = await failureOf(fetchPageData(base));
    expect(error).toMatchObject({ status: undefined, attempts: 4, reason: 'connection' });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test.each([400, 404, 429])('a %i is an answer: not tried again', async (code) => {
    answers = [status(code)];
    expect(await failureOf(fetchPageData(base))).toMatchObject({ status: code, attempts: 1, reason: 'status' });
    expect(arrivals).toHaveLength(1);
  });

  test('the body of an attempt that is thrown away is cancelled, not left to fill', async () => {
    answers = [
      (response) => {
        response.writeHead(503);
        response.write('x'.repeat(1024));
        // Never ended: only a reader that cancels closes it.
      },
      status(200, {}, 'fine'),
    ];
    const result = await settle(fetchPageData(base));
    expect(result.status).toBe('fulfilled');
    await closed[0];
  });

  test('an answer whose body breaks off before it is thrown away is tried again like any other', async () => {
    // Usually the reset arrives a moment later. A busy process sees both at once.
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...call) => {
      const response = await fetch(...call);
      while (!response.ok && !inspect(response.body).includes("state: 'errored'")) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return response;
    });
    answers = [breakOff, status(200, {}, 'back')];
    const result = await settle(fetchPageData(base));
    expect(result.status === 'fulfilled' && (await result.value.text())).toBe('back');

    answers = [breakOff];
    const error = await failureOf(fetchPageData(base));
    expect(error).toMatchObject({ phase: 'page-data', status: 503, attempts: 4, reason: 'status' });
  });
});

describe('Retry-After', () => {
  test('is waited for, in seconds', async () => {
    answers = [status(503, { 'retry-after': '2' }), status(200)];
    await settle(fetchPageData(base));
    expect((arrivals[1]?.time ?? 0) - (arrivals[0]?.time ?? 0)).toBeGreaterThanOrEqual(2000);
  });

  test('that asks for longer than a page can wait ends the retries', async () => {
    answers = [status(503, { 'retry-after': '3' })];
    expect(await failureOf(fetchPageData(base))).toMatchObject({ status: 503, attempts: 1 });
  });

  test('is read as seconds or as a date', () => {
    vi.setSystemTime(new Date('2026-01-01T00:00:00Z'));
    expect(readRetryAfter('7')).toBe(7000);
    expect(readRetryAfter('Thu, 01 Jan 2026 00:00:05 GMT')).toBe(5000);
    expect(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(0);
    expect(readRetryAfter('soon')).toBeUndefined();
    expect(readRetryAfter(null)).toBeUndefined();
  });
});

describe('ends', () => {
  test('at the deadline, when nothing answers', async () => {
    answers = [stall];
    const started = Date.now();
    const error = await failureOf(fetchPageData(base));
    expect(error).toMatchObject({ reason: 'deadline', status: undefined, attempts: 1 });
    expect(Date.now() - started).toBe(10_000);
  });

  test('at the deadline, when a body stalls', async () => {
    answers = [
      (response) => {
        response.writeHead(200);
        response.write('the beginning');
      },
    ];
    const result = await settle(fetchPageData(base));
    if (result.status === 'rejected') throw result.reason;
    expect(await failureOf(result.value.text())).toMatchObject({ reason: 'deadline' });
  });

  test('with the request that the page is rendered for, also between attempts', async () => {
    answers = [status(503, { 'retry-after': '2' })];
    const visitor = new AbortController();
    const data = runInRequest(createContext(visitor.signal), () => fetchPageData(base));
    while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve));
    visitor.abort('the visitor left');
    await expect(data).rejects.toBe('the visitor left');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(arrivals).toHaveLength(1);
  });

  test('with the caller’s signal, in the middle of an attempt', async () => {
    answers = [stall];
    const caller = new AbortController();
    const data = fetchPageData(base, { signal: caller.signal });
    while (arrivals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    caller.abort('not needed');
    await expect(data).rejects.toBe('not needed');
    await closed[0];
  });

  test('before it begins, when it was aborted already', async () => {
    await expect(fetchPageData(base, { signal: AbortSignal.abort('too late') })).rejects.toBe('too late');
    const context = createContext(AbortSignal.abort('gone'));
    await expect(runInRequest(context, () => fetchPageData(base))).rejects.toBe('gone');
    expect(arrivals).toEqual([]);
  });

  test('without its deadline left behind when it failed', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    answers = [status(404)];
    await failureOf(fetchPageData(base));
    const deadline = set.mock.results[set.mock.calls.findIndex(([, ms]) => ms === 10_000)]?.value;
    expect(deadline).toBeDefined();
    expect(clear).toHaveBeenCalledWith(deadline);
    set.mockRestore();
    clear.mockRestore();
  });
});

describe('the tries are breadcrumbs of the page’s request', () => {
  async function listTries(url: string, context = createContext()) {
    await settle(runInRequest(context, () => fetchPageData(url)));
    return listBreadcrumbs(context)
      .slice(1)
      .map(({ message, level, data }) => [
        message.replace(base, ''),
        level,
        data?.['attempt'],
        typeof data?.['waitMs'],
      ]);
  }

  test('each with what came of it and the wait after it, and no value of the query', async () => {
    answers = [status(503), hangUp, status(200)];
    expect(await listTries(`${base}/orders?token=secret`)).toEqual([
      ['/orders?token 503', 'warning', 1, 'number'],
      ['/orders?token UND_ERR_SOCKET', 'warning', 2, 'number'],
      ['/orders?token 200', 'info', 3, 'undefined'],
    ]);
  });

  test('the wait is the one that follows, and the time is that of the try', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    answers = [status(500), status(404)];
    const context = createContext();
    await settle(runInRequest(context, () => fetchPageData(base)));
    const [, first, second] = listBreadcrumbs(context);
    expect(first?.data).toMatchObject({ attempt: 1, waitMs: 100 });
    expect(second?.data).not.toHaveProperty('waitMs');
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(100);
    expect(second?.data?.['ms']).toBeLessThan(100);
  });

  test('one that reached the deadline says so, and how long it took', async () => {
    answers = [stall];
    const context = createContext();
    expect(await listTries(`${base}/slow`, context)).toEqual([['/slow deadline', 'warning', 1, 'undefined']]);
    expect(listBreadcrumbs(context)[1]?.data?.['ms']).toBe(10_000);
  });

  test('one that ended with the visitor says so', async () => {
    answers = [stall];
    const visitor = new AbortController();
    const context = createContext(visitor.signal);
    const data = runInRequest(context, () => fetchPageData(base));
    while (arrivals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    visitor.abort();
    await expect(data).rejects.toThrow();
    expect(listBreadcrumbs(context)[1]?.message).toMatch(/ AbortError$/);
  });
});

describe('the trace', () => {
  const own = `sentry-trace_id=${'a'.repeat(32)},sentry-environment=test`;

  async function seen(context: RequestContext | undefined, init: PageDataInit = {}): Promise<Trace | undefined> {
    const ask = () => fetchPageData(base, init);
    await settle(context ? runInRequest(context, ask) : ask());
    return arrivals.at(-1)?.trace;
  }

  test('goes to the upstream with every try, and so does the baggage: ours first', async () => {
    answers = [status(503), status(200)];
    const { sentry, baggage } = (await seen(createContext(undefined, 'tenant=7, plan=gold;p=1'))) ?? {};
    expect(sentry).toMatch(/^a{32}-[0-9a-f]{16}$/);
    expect(baggage).toBe(`${own},tenant=7,plan=gold`);
    expect(arrivals.map(({ trace }) => trace)).toEqual([
      { sentry, baggage },
      { sentry, baggage },
    ]);
  });

  test('is what the call says, and nobody’s outside a request', async () => {
    const context = createContext(undefined, 'tenant=7');
    expect(await seen(context, { propagate: 'trace' })).toEqual({ sentry: expect.any(String), baggage: own });
    expect(await seen(context, { headers: { Baggage: 'mine=1' } })).toMatchObject({ baggage: 'mine=1' });
    expect(await seen(undefined)).toEqual({ sentry: undefined, baggage: undefined });
  });
});

describe('refuses at once', () => {
  test('methods that change something, in any spelling, and bodies', async () => {
    const post: object = { method: 'post' };
    await expect(fetchPageData(base, post)).rejects.toThrow('GET and HEAD only, not post');
    const body: object = { body: 'x' };
    await expect(fetchPageData(base, body)).rejects.toThrow('no body');
    expect(arrivals).toEqual([]);
  });

  test('addresses that are not the network’s', async () => {
    await expect(fetchPageData('file:///etc/passwd')).rejects.toThrow('not file:');
    await expect(fetchPageData('/relative')).rejects.toThrow(TypeError);
    await expect(fetchPageData('http://user:secret@127.0.0.1/')).rejects.toThrow(TypeError);
  });

  test('HEAD works', async () => {
    await settle(fetchPageData(`${base}/x`, { method: 'HEAD' }));
    expect(arrivals).toMatchObject([{ method: 'HEAD', url: '/x' }]);
  });
});
