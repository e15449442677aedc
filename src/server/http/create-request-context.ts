import { randomBytes } from 'node:crypto';

import { uploadApiPath } from './addresses.ts';
import { isMultipart } from './check-request.ts';
import { actionHeader, prefetchHeader } from './flight-headers.ts';
import type { RequestContext, RequestHeaders, RequestKind } from './request-context.ts';
import type { Visitor } from './visitor.ts';
import { actionPrefix, fromPayloadPath, payloadPrefix, slicePrefix } from './waku-addresses.ts';

/** https://www.w3.org/TR/trace-context/#traceparent-header: a later version may have more behind. Zeros alone are no id. */
const parentHeader = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;
const traceHeader = /^([0-9a-f]{32})-[0-9a-f]{16}(?:-[01])?$/;

/** A system call for each id would cost more than the rest of the context: one brings enough for a hundred. */
const poolBytes = 4096;
let pool = Buffer.alloc(0);
let poolUsed = 0;

/** 128 bits, what the specification of content security policies asks for: https://www.w3.org/TR/CSP3/#security-nonces */
const nonceBytes = 16;

/** @param bytes at most 32 */
function randomHex(bytes: number): string {
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
export function createRequestId(now: number = Date.now()): string {
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
  const isForm = method === 'POST' && isMultipart(headers.get('content-type'));
  if (isForm && !path.startsWith(uploadApiPath)) return 'action';
  return method === 'GET' || method === 'HEAD' ? 'document' : 'other';
}

function readTraceId(headers: RequestHeaders): string | undefined {
  return traceHeader.exec(headers.get('sentry-trace') ?? '')?.[1];
}

/** `<trace>-<span>` of whoever asked: a proxy in front, or another server. @param header `traceparent`, as it came */
export function readParent(header: string | null | undefined): string | null {
  const [, traceId, spanId] = parentHeader.exec(header ?? '') ?? [];
  return traceId === undefined || spanId === undefined ? null : `${traceId}-${spanId}`;
}

const traceIdLength = 32;

type Arrived = {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  /** Of an app that does not stand at the root of its server: what the paths of its pages begin with. */
  readonly base?: string;
  readonly headers: RequestHeaders;
  readonly address: string;
  readonly signal: AbortSignal;
  readonly visitor?: Visitor | undefined;
};

/** @param nonce whether the answer may be a document with scripts of its own */
export function createContext(arrived: Arrived, nonce: boolean): RequestContext {
  const { method, path, base = '', headers, address, signal, visitor } = arrived;
  const kind = classify(method, path, headers);
  const page = fromPayloadPath(path);
  const pagePath = page === path ? path : base + page;
  const startedAt = Date.now();
  const parent = readParent(headers.get('traceparent'));
  return {
    id: createRequestId(startedAt),
    kind,
    method,
    path: pagePath,
    // A page's own requests name the trace of its document; a proxy may begin another one for each.
    traceId: readTraceId(headers) ?? parent?.slice(0, traceIdLength) ?? createRequestId(startedAt),
    parent,
    startedAt,
    address,
    visitor,
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
