import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { runInRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import type { ServerErrorRecord } from './error-record.ts';
import { whenKept } from './kept-digests.ts';
import { addErrorSink, reportError, settleDeliveries } from './report-error.ts';

function createRequest(signal = new AbortController().signal): RequestContext {
  return makeRequest({ path: '/broken', traceId: 'f'.repeat(32), signal });
}

let records: ServerErrorRecord[];
let lines: string[];
let removeSink: () => void;

beforeEach(() => {
  records = [];
  lines = [];
  removeSink = addErrorSink({ complete: (record) => void records.push(record) });
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});

afterEach(() => {
  removeSink();
  vi.restoreAllMocks();
});

function throwBroken(): Error {
  return new Error('broken on purpose');
}

function throwNow(): never {
  throw new Error('not readable');
}

/** An error is kept in the next turn, and completed in the one after. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('reportError', () => {
  it('gives two errors two digests and one fingerprint, one log line each', async () => {
    // From one line: lines of source belong to the fingerprint.
    const [first, second] = [1, 2].map(() => reportError(throwBroken(), 'rsc', { request: createRequest() }));
    await nextTurns();
    expect(first).not.toBe(second);
    expect(records.map(({ digest }) => digest)).toEqual([first, second]);
    expect(new Set(records.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'server-error', digest: first, phase: 'rsc', route: '/broken', requestId: 'request' },
      { digest: second },
    ]);
    for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
  });

  it('keeps the digest of an error that comes by again in the same request, and records it once', async () => {
    const request = createRequest();
    const error = throwBroken();
    const digest = reportError(error, 'rsc', { request });
    expect(reportError(error, 'ssr', { request })).toBe(digest);
    // Flight's client decodes an error into another object that carries the digest.
    expect(reportError(Object.assign(new Error('masked'), { digest }), 'ssr', { request })).toBe(digest);
    await nextTurns();
    expect(records.length).toBe(1);
  });

  it('gives an error object that another request throws again a digest of its own', async () => {
    const error = throwBroken();
    const first = reportError(error, 'rsc', { request: createRequest() });
    const second = reportError(error, 'rsc', { request: createRequest() });
    await nextTurns();
    expect(second).not.toBe(first);
    expect(records.length).toBe(2);
  });

  it('does not believe a digest that this request did not mint', async () => {
    const forged = Object.assign(new Error('x'), { digest: '0123456789' });
    expect(reportError(forged, 'ssr', { request: createRequest() })).not.toBe('0123456789');
    await nextTurns();
  });

  it("leaves Waku's control flow alone", async () => {
    const digest = '__WAKU_CUSTOM_ERROR__;{"status":404}';
    expect(reportError(Object.assign(new Error('Not Found'), { digest }), 'rsc')).toBe(digest);
    await nextTurns();
    expect(records).toEqual([]);
  });

  it('takes an aborted request for a visitor who left', async () => {
    const request = createRequest(AbortSignal.abort());
    expect(reportError(throwBroken(), 'rsc', { request })).toBeUndefined();
    await nextTurns();
    expect([records, lines]).toEqual([[], []]);
  });

  it('records what fails in an action or is caught by nobody, whoever left meanwhile', async () => {
    for (const phase of ['action', 'process'] as const) {
      const request = createRequest(AbortSignal.abort());
      expect(reportError(throwBroken(), phase, { request })).toBeDefined();
      expect(reportError(request.signal.reason, phase, { request })).toBeUndefined();
    }
    await nextTurns();
    expect(records.map(({ phase }) => phase)).toEqual(['action', 'process']);
  });

  it.each([
    ['an object as its message', Object.assign(new Error('x'), { message: { code: 5 } })],
    ['a message that looks like frames', new Error('Cannot find \n    at a (file://host/y:1:1)\n    at b (/:1:1)')],
    ['a name and stack that are numbers', Object.assign(new Error('x'), { name: 7, stack: 8 })],
    ['a getter that throws', Object.defineProperty(new Error('x'), 'message', { get: () => throwNow() })],
    ['no prototype', Object.create(null)],
    ['a symbol', Symbol('x')],
  ])('survives an error with %s', async (_, thrown) => {
    const digest = reportError(thrown, 'rsc', { request: createRequest() });
    await nextTurns();
    expect(records.map((record) => record.digest)).toEqual([digest]);
    expect(lines.length).toBe(1);
  });

  it('records no colours of a terminal, wherever they stand', async () => {
    const [red, plain] = ['\u001b[38;5;246m', '\u001b[0m'];
    const error = new Error(`${red}Unexpected${plain} token`, { cause: `${red}inner${plain}` });
    error.name = `${red}ParseError${plain}`;
    error.stack = `ParseError: ${red}Unexpected${plain} token\n    at ${red}render${plain} (/app/${red}page${plain}.tsx:1:2)`;
    reportError(error, 'rsc', { request: createRequest() });
    reportError(`${red}only text${plain}`, 'rsc', { request: createRequest() });
    await nextTurns();
    expect(records).toMatchObject([
      {
        name: 'ParseError',
        message: 'Unexpected token',
        frames: [{ fn: 'render', file: '/app/page.tsx' }],
        causes: [{ message: 'inner' }],
      },
      { message: 'only text' },
    ]);
    expect(JSON.stringify([records, lines])).not.toContain('u001b');
  });

  it('keeps a failing sink from the others and from the process', async () => {
    const remove = addErrorSink({ keep: () => throwNow(), complete: () => throwNow() });
    const later: string[] = [];
    const removeLater = addErrorSink({ complete: (record) => void later.push(record.digest) });
    const digest = reportError(throwBroken(), 'rsc', { request: createRequest() });
    await nextTurns();
    remove();
    removeLater();
    expect(later).toEqual([digest]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'server-error', digest },
      { event: 'error-not-recorded', digest, step: 'keep' },
      { event: 'error-not-recorded', digest, step: 'complete' },
    ]);
  });

  it('holds the digest back until every sink has kept the error, and completes it only then', async () => {
    const slow = Promise.withResolvers<void>();
    const kept: string[] = [];
    const remove = addErrorSink({
      keep: async ({ record, breadcrumbs }) => {
        kept.push(`${record.digest} after ${breadcrumbs.map(({ message }) => message).join()}`);
        await slow.promise;
      },
      complete: () => undefined,
    });
    const request = createRequest();
    request.breadcrumbs.push({ type: 'own', time: 1, category: 'basket', message: 'emptied', level: 'info' });
    const digest = reportError(throwBroken(), 'rsc', { request }) ?? '';
    let isOut = false;
    const out = whenKept(digest)?.then(() => (isOut = true));
    await nextTurns();
    expect(kept).toEqual([`${digest} after GET /broken (document),emptied`]);
    expect([isOut, records]).toEqual([false, []]);
    slow.resolve();
    await out;
    expect(records).toEqual([]);
    await nextTurns();
    remove();
    expect(records.map((record) => record.digest)).toEqual([digest]);
    expect(whenKept(digest)).toBeUndefined();
  });

  it('is waited for by a process that ends: until it is kept and completed, and not for ever', async () => {
    const slow = Promise.withResolvers<void>();
    const remove = addErrorSink({ keep: () => slow.promise, complete: () => undefined });
    const digest = reportError(throwBroken(), 'process');
    let isSettled = false;
    const settled = settleDeliveries().then(() => (isSettled = true));
    await nextTurns();
    expect([isSettled, records]).toEqual([false, []]);
    slow.resolve();
    await settled;
    expect(records.map((record) => record.digest)).toEqual([digest]);
    remove();
    await settleDeliveries();
  });

  it('does not hold a digest back for a sink that fails, nor without any', async () => {
    const remove = addErrorSink({ keep: () => Promise.reject(new Error('no disk')), complete: () => undefined });
    const digest = reportError(throwBroken(), 'rsc', { request: createRequest() }) ?? '';
    expect(whenKept(digest)).toBeDefined();
    await whenKept(digest);
    remove();
    const second = reportError(throwBroken(), 'rsc', { request: createRequest() }) ?? '';
    await whenKept(second);
    await nextTurns();
    expect(records.map((record) => record.digest)).toEqual([digest, second]);
  });

  it('finds the request by itself, and records what was thrown whatever it is', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    runInRequest(createRequest(), () => {
      reportError('a string', 'rsc');
      reportError(undefined, 'rsc');
      reportError(cycle, 'rsc');
      reportError(new Error('outer', { cause: new TypeError('inner') }), 'action');
    });
    await nextTurns();
    expect(records.map(({ name, message, path }) => [name, message, path])).toEqual([
      ['thrown string', 'a string', '/broken'],
      ['thrown undefined', 'undefined', '/broken'],
      ['thrown object', '<ref *1> { self: [Circular *1] }', '/broken'],
      ['Error', 'outer', '/broken'],
    ]);
    expect(records.at(-1)?.causes).toMatchObject([{ name: 'TypeError', message: 'inner' }]);
    const logged = lines.map((line): { message: string; causes?: string[] } => JSON.parse(line));
    expect(logged.find(({ message }) => message === 'outer')?.causes).toEqual([
      expect.stringMatching(/^TypeError: inner\n {4}at /),
    ]);
    expect(logged[0]?.causes).toBeUndefined();
  });
});
