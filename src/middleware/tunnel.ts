import 'server-only';

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import type { Context, MiddlewareHandler } from 'hono';

import { readSetting } from '#src/environment/read-setting.ts';
import { receiveEnvelope } from '#src/reports/receive-envelope.ts';
import { isOwnOrigin } from '#src/http/check-request.ts';
import { writeLog } from '#src/http/log.ts';
import { currentRequest } from '#src/http/request-context.ts';

import { closeConnection, readBody } from '#src/http/read-body.ts';
import { createBuckets } from '#src/http/token-bucket.ts';

/**
 * Where browsers post their reports: this app's own origin, so that neither a content blocker nor a second host stands
 * in between. Anyone can post here, so everything is bounded before it is read, in this order: method, origin, encoding,
 * declared length, rate, counted length, length after unpacking. It answers as Sentry's Relay does, because the SDK's
 * transport understands that: 200 with the event's id after it is on disk, else `{"detail"}` and `X-Sentry-Error`.
 */
type Refusal = {
  readonly status: 400 | 403 | 405 | 408 | 413 | 415 | 429 | 503;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Relay's limit for one event. The SDK's largest envelope without attachments is an event with a tenth of that. */
const bodyBytesLimit = 1024 * 1024;

const limits = {
  /**
   * A page whose every part fails, reloaded a few times, and two a second for as long as it likes. Behind a proxy all
   * share one address and so this; `X-Forwarded-For` is not asked, since anyone can write another address into it.
   */
  own: { size: 20, perSecond: 2 },
  /**
   * A page that fails sends two or three envelopes. The burst is a deploy that breaks every open page at once; the rate is
   * what a visitor's browser can do for long to a 1 GB box: 10 rows a second, which retention clears as fast.
   */
  shared: { size: 100, perSecond: 10 },
};

/**
 * The data categories that are not kept. The SDK stops sending them for a day after the first answer, and counts them in
 * its client report: https://develop.sentry.dev/sdk/foundations/transport/rate-limiting/
 */
const categoriesNotKept =
  'transaction;span;session;profile;profile_chunk;replay;attachment;feedback;monitor;log_item;log_byte;trace_metric';
const notKeptLimit = `86400:${categoriesNotKept}:key:not_stored`;

const unpack = promisify(gunzip);

/** SDKs outside browsers send neither header. */
function isSameOrigin(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  return origin === undefined || isOwnOrigin(origin, c.req.url);
}

function checkHeaders(c: Context): Refusal | undefined {
  if (c.req.method !== 'POST') return { status: 405, detail: 'only POST', headers: { allow: 'POST' } };
  if (!isSameOrigin(c)) return { status: 403, detail: 'not from this origin' };
  const encoding = c.req.header('content-encoding') ?? 'identity';
  // Brotli is left out on purpose: 800 bytes of it unpack to half a gigabyte, and no SDK sends it.
  if (encoding !== 'identity' && encoding !== 'gzip') {
    return { status: 415, detail: 'unsupported content-encoding', headers: { 'accept-encoding': 'gzip, identity' } };
  }
  if (Number(c.req.header('content-length') ?? 0) > bodyBytesLimit) return { status: 413, detail: 'body is too large' };
  return undefined;
}

/** The report as it was before it was packed, or what was wrong with it. */
async function takeBody(c: Context): Promise<Uint8Array | Refusal> {
  const read = await readBody(c.req.raw, bodyBytesLimit);
  switch (read.outcome) {
    case 'complete':
      return c.req.header('content-encoding') === 'gzip' ? unpackBody(read.body) : read.body;
    case 'too-large':
      return { status: 413, detail: 'body is too large' };
    case 'too-slow':
      return { status: 408, detail: 'body did not arrive in time', headers: closeConnection };
    case 'broken':
      return { status: 400, detail: 'body ended early' };
  }
}

async function unpackBody(body: Uint8Array): Promise<Uint8Array | Refusal> {
  try {
    return await unpack(body, { maxOutputLength: bodyBytesLimit });
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) return { status: 413, detail: 'body is too large' };
    return { status: 400, detail: 'body is not gzip' };
  }
}

function refuse(c: Context, { status, detail, headers }: Refusal): Response {
  writeLog('warn', 'tunnel-refused', { status, detail, method: c.req.method });
  return c.json({ detail }, status, { 'cache-control': 'no-store', 'x-sentry-error': detail, ...headers });
}

/** As long as the store waits before it tries the disk again. The SDK keeps to it and asks nothing of a full disk. */
const storeRetrySeconds = 10;

function refuseUnstored(c: Context, detail: string): Response {
  const headers = {
    'retry-after': String(storeRetrySeconds),
    'x-sentry-rate-limits': `${storeRetrySeconds}::key:not_stored`,
  };
  return refuse(c, { status: 503, detail, headers });
}

async function keep(c: Context, body: Uint8Array): Promise<Response> {
  const result = await receiveEnvelope(body, { userAgent: c.req.header('user-agent') });
  if (result.status === 'refused') {
    const { httpStatus: status, detail } = result;
    return status === 503 ? refuseUnstored(c, detail) : refuse(c, { status, detail });
  }
  const [id] = result.eventIds;
  // A Sentry behind this one may keep what we do not.
  const rateLimits = readSetting('SENTRY_DSN') ? {} : { 'x-sentry-rate-limits': notKeptLimit };
  return c.json(id === undefined ? {} : { id }, 200, { 'cache-control': 'no-store', ...rateLimits });
}

/** Takes reports at `path`; other paths are not its business. */
export function tunnel(path: string): MiddlewareHandler {
  const takeToken = createBuckets(limits);

  async function answer(c: Context): Promise<Response> {
    const refusal = checkHeaders(c);
    if (refusal) return refuse(c, refusal);
    const wait = takeToken(currentRequest()?.address || undefined);
    if (wait > 0) {
      const headers = { 'retry-after': String(wait), 'x-sentry-rate-limits': `${wait}::key:too_many_reports` };
      return refuse(c, { status: 429, detail: 'too many reports', headers });
    }
    const body = await takeBody(c);
    if (!(body instanceof Uint8Array)) return refuse(c, body);
    try {
      return await keep(c, body);
    } catch (error) {
      // Not rethrown: an error of the store that were reported would come back here.
      writeLog('error', 'report-not-stored', { reason: error instanceof Error ? error.message : String(error) });
      return refuseUnstored(c, 'the report could not be stored');
    }
  }

  return function tunnelMiddleware(c, next) {
    return c.req.path === path ? answer(c) : next();
  };
}
