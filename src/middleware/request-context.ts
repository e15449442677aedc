import 'server-only';

import { randomBytes } from 'node:crypto';

import type { MiddlewareHandler } from 'hono';

import { actionHeader, pageHeader, prefetchHeader, requestIdHeader } from '#src/http/flight-headers.ts';
import { actionPrefix, fromPayloadPath, payloadPrefix, slicePrefix } from '#src/http/waku-addresses.ts';
import { isMultipart } from '#src/http/check-request.ts';
import { noteRedirect } from '#src/runtime/reporting/breadcrumbs.ts';
import { runInRequest, type RequestContext, type RequestHeaders, type RequestKind } from '#src/http/request-context.ts';

const traceHeader = /^([0-9a-f]{32})-[0-9a-f]{16}(?:-[01])?$/;

/** A system call for each id would cost more than the rest of this middleware: one brings enough for a hundred. */
const poolBytes = 4096;
let pool = Buffer.alloc(0);
let poolUsed = 0;

/** 128 bits, what the specification of content security policies asks for: https://www.w3.org/TR/CSP3/#security-nonces */
const nonceBytes = 16;

/** @param bytes at most 32 */
export function randomHex(bytes: number): string {
  if (poolUsed + bytes > pool.length) {
    pool = randomBytes(poolBytes);
    poolUsed = 0;
  }
  poolUsed += bytes;
  return pool.toString('hex', poolUsed - bytes, poolUsed);
}

let idTime = Number.NaN;
let idPrefix = '';

/**
 * 128 bits, of which the first 32 are the time in milliseconds and the others random. What is made later sorts later, so the
 * recording's indexes of these ids grow at their end; with ids that land anywhere, a batch of flights writes most of the
 * index again. 96 bits are as hard to guess as 128.
 */
function createId(now: number): string {
  if (now !== idTime) {
    idTime = now;
    idPrefix = (now % 2 ** 32).toString(16).padStart(8, '0');
  }
  return idPrefix + randomHex(12);
}

function classify(method: string, path: string, headers: RequestHeaders): RequestKind {
  if (path.startsWith(actionPrefix) || headers.has(actionHeader)) return 'action';
  if (path.startsWith(payloadPrefix)) return headers.has(prefetchHeader) ? 'prefetch' : 'navigation';
  if (path.startsWith(slicePrefix)) return 'slice';
  if (method === 'POST' && isMultipart(headers.get('content-type'))) return 'action';
  return method === 'GET' || method === 'HEAD' ? 'document' : 'other';
}

function readTraceId(headers: RequestHeaders): string | undefined {
  return traceHeader.exec(headers.get('sentry-trace') ?? '')?.[1];
}

/** What src/host has found out; in dev and in a test nobody has. */
function readAddress(env: unknown): string {
  if (typeof env !== 'object' || env === null || !('address' in env)) return '';
  return typeof env.address === 'string' ? env.address : '';
}

type Arrived = {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly address: string;
  readonly signal: AbortSignal;
};

/** @param nonce whether the answer may be a document with scripts of its own */
export function createContext({ method, path, headers, address, signal }: Arrived, nonce: boolean): RequestContext {
  const kind = classify(method, path, headers);
  const pagePath = fromPayloadPath(path);
  const startedAt = Date.now();
  return {
    id: createId(startedAt),
    kind,
    method,
    path: pagePath,
    traceId: readTraceId(headers) ?? createId(startedAt),
    startedAt,
    address,
    nonce: nonce ? randomHex(nonceBytes) : '',
    operator: undefined,
    signal,
    digests: [],
    breadcrumbs: [],
    baggage: headers.get('baggage') ?? undefined,
  };
}

/** The value of `Server-Timing` that hands a document's trace to the browser. */
export function formatTrace({ traceId }: RequestContext): string {
  return `sentry-trace;desc="${traceId}-${randomHex(8)}"`;
}

/**
 * Gives each request its id, kind and trace, for everything that runs below. The trace of a document comes from here
 * and reaches the browser as `Server-Timing`, which works for prerendered pages too; the browser sends it back with
 * its navigations and actions.
 */
export function requestContext(): MiddlewareHandler {
  return async function requestContextMiddleware(c, next) {
    const { method, path, raw } = c.req;
    const { headers, signal } = raw;
    const arrived = { method, path, headers, address: readAddress(c.env), signal };
    const context = createContext(arrived, import.meta.env.PROD);
    await runInRequest(context, next);
    c.res.headers.set(requestIdHeader, context.id);
    const location = c.res.status >= 300 ? c.res.headers.get('location') : null;
    if (location !== null) noteRedirect(c.res.status, location, context);
    // The browser keeps a prefetched page as long as its kind allows; prerendered ones come with their own word.
    const isPageData = context.kind === 'navigation' || context.kind === 'prefetch';
    if (isPageData && !c.res.headers.has(pageHeader)) c.res.headers.set(pageHeader, 'dynamic');
    // A form that the browser submitted itself is answered by a document, too.
    const isDocument = context.kind === 'document' || (context.kind === 'action' && !headers.has(actionHeader));
    if (isDocument) c.res.headers.append('server-timing', formatTrace(context));
  };
}
