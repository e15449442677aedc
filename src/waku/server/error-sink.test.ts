import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createContext } from '#src/server/http/create-request-context.ts';
import { mintDigest } from '#report/digest.ts';
import { createRawRecord, type ErrorToKeep } from '#src/runtime/errors/error-record.ts';
import { addErrorSink, reportError, settleDeliveries } from '#src/runtime/errors/report-error.ts';
import { whenKept } from '#src/runtime/errors/kept-digests.ts';
import type { AppError } from '#report/sender/app-error.ts';
import { createSender, type Sender } from '#report/sender/create-sender.ts';

import { createErrorSink } from './error-sink.ts';

const address = { base: 'http://127.0.0.1:4000/_flight', app: 'shop', key: 'k'.repeat(32) };
/** Longer than any of these tests: what is held until then was not let go by what it waits for. */
const boundMs = 60_000;

let posted: AppError[];
let answer: () => Promise<Response>;
let sender: Sender;
let remove: () => void;

function begin(bound: number): void {
  remove();
  remove = addErrorSink(createErrorSink(sender, bound));
}

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  posted = [];
  answer = async () => Response.json({});
  async function post(_url: unknown, init: RequestInit = {}): Promise<Response> {
    const { errors }: { errors: AppError[] } = JSON.parse(String(init.body));
    posted.push(...errors);
    return answer();
  }
  sender = createSender({ address, warn() {}, fetch: post, retryMs: [1], gatherMs: 0 });
  remove = () => undefined;
});

afterEach(async () => {
  await settleDeliveries();
  remove();
  vi.restoreAllMocks();
});

const signal = new AbortController().signal;

function createRequest() {
  return createContext({ method: 'GET', path: '/orders', headers: new Headers(), address: '', signal }, false);
}

function createError(message: string): ErrorToKeep {
  const described = { name: 'Error', message, stack: '' };
  const request = createRequest();
  const context = { digest: mintDigest(), time: 1, phase: 'rsc', request, componentStack: undefined } as const;
  return {
    record: createRawRecord(new Error(message), described, context),
    understanding: undefined,
    breadcrumbs: [],
  };
}

/** Without any timer. */
async function isOverAtOnce(held: Promise<void> | undefined): Promise<boolean> {
  let isOver = false;
  void held?.then(() => (isOver = true));
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  return isOver;
}

/** @returns whether its digest may be shown when what `before` waits for has happened */
async function isShown(digest: string | undefined, before: Promise<unknown>): Promise<boolean> {
  let shown = false;
  const kept = digest === undefined ? undefined : whenKept(digest);
  void kept?.then(() => (shown = true));
  await before;
  return shown || kept === undefined;
}

describe('the digest of an app’s error', () => {
  it('is held back until the recorder has stored the error', async () => {
    begin(boundMs);
    const stored = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    answer = () => {
      asked.resolve();
      return stored.promise;
    };
    const request = createRequest();
    const digest = reportError(new TypeError('no order'), 'rsc', { request });
    expect(await isShown(digest, asked.promise)).toBe(false);
    stored.resolve(Response.json({}));
    await whenKept(digest ?? '');
    expect(posted).toMatchObject([
      {
        reporter: 'waku',
        framework: 'waku',
        digest,
        phase: 'rsc',
        kind: 'document',
        name: 'TypeError',
        message: 'no order',
        request: { method: 'GET', path: '/orders', id: request.id, traceId: request.traceId },
        runtime: `Node ${process.versions.node}`,
        breadcrumbs: [{ category: 'http', message: 'GET /orders (document)' }],
      },
    ]);
    expect(posted[0]?.frames?.[0]).toMatchObject({ source: 'src/waku/server/error-sink.test.ts', inApp: true });
  });

  it('brings the sources of its causes, which nobody else can find', async () => {
    begin(boundMs);
    const cause = new Error('no connection');
    const digest = reportError(new TypeError('no order', { cause }), 'rsc', { request: createRequest() });
    await whenKept(digest ?? '');
    const [sent] = posted[0]?.causes ?? [];
    expect(sent).toMatchObject({ name: 'Error', message: 'no connection' });
    expect(sent?.frames?.[0]).toMatchObject({ source: 'src/waku/server/error-sink.test.ts', inApp: true });
    expect(sent?.frames?.length).toBeLessThanOrEqual(10);
  });

  it('is shown after the bound; then at once, until the recorder has answered', async () => {
    const slow = Promise.withResolvers<void>();
    answer = () => slow.promise.then(() => Response.json({}));
    const sink = createErrorSink(sender, 5);
    await sink.keep?.(createError('one'));
    expect(await isOverAtOnce(sink.keep?.(createError('two')))).toBe(true);
    slow.resolve();
    await sender.settle();
    const again = Promise.withResolvers<void>();
    answer = () => again.promise.then(() => Response.json({}));
    const third = sink.keep?.(createError('three'));
    expect(await isOverAtOnce(third)).toBe(false);
    again.resolve();
    await third;
    expect(posted.map(({ message }) => message)).toEqual(['one', 'two', 'three']);
  });

  it('is shown at once where the recorder answers nobody', async () => {
    begin(boundMs);
    answer = () => Promise.reject(new Error('ECONNREFUSED'));
    await whenKept(reportError(new Error('one'), 'rsc', { request: createRequest() }) ?? '');
    await sender.settle();
    expect(posted.map(({ message }) => message)).toEqual(['one', 'one']);
  });
});
