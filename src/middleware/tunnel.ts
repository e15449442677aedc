import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { readSetting } from '#src/environment/read-setting.ts';
import { receiveEnvelope } from '#src/reports/receive-envelope.ts';
import { checkDeclaredLength, isOwnOrigin, type BodyLimit, type Refused } from '#src/http/check-request.ts';
import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { takeBody } from '#src/http/read-body.ts';
import { refuse } from '#src/http/refuse.ts';
import { currentRequest } from '#src/http/request-context.ts';
import { createBuckets } from '#src/http/token-bucket.ts';
import { unpackBody } from '#src/http/unpack-body.ts';

import {
  describeTooMany,
  describeUnstored,
  notKeptLimit,
  toSdkBody,
  toSdkHeaders,
  type ReportRefusal,
} from './refuse-report.ts';

/**
 * Where browsers post their reports: this app's own origin, so that neither a content blocker nor a second host stands
 * in between. Anyone can post here, so everything is bounded before it is read, in this order: method, origin, encoding,
 * declared length, rate, counted length, length after unpacking. It answers with Relay's status codes and
 * headers, because the SDK's transport understands those: 200 with the event's id after it is on disk.
 */
/** Relay's limit for one event. The SDK's largest envelope without attachments is an event with a tenth of that. */
const bodyLimit: BodyLimit = { bytes: 1024 * 1024, code: 'body-too-large' };

const limits = {
  /**
   * At once: a page of which every part fails, reloaded a few times. For long: two a second. Behind a proxy that is not in
   * `TRUSTED_PROXIES` all clients share one address, and so this limit.
   */
  own: { size: 20, perSecond: 2 },
  /**
   * A page that fails sends two or three envelopes. The burst is a deploy that breaks every open page at once; the rate is
   * what a visitor's browser can do for long to a 1 GB box: 10 rows a second, which retention clears as fast.
   */
  shared: { size: 100, perSecond: 10 },
};

/** SDKs outside browsers send neither header. */
function isSameOrigin(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  return origin === undefined || isOwnOrigin(origin, c.req.url);
}

function checkHeaders(c: Context): ReportRefusal | undefined {
  if (c.req.method !== 'POST') return { code: 'wrong-method', detail: 'only POST', headers: { allow: 'POST' } };
  if (!isSameOrigin(c)) return { code: 'wrong-origin', detail: 'not from this origin' };
  const encoding = c.req.header('content-encoding') ?? 'identity';
  // Brotli is left out on purpose: 800 bytes of it unpack to half a gigabyte, and no SDK sends it.
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const headers = { 'accept-encoding': 'gzip, identity' };
    return { code: 'unsupported-encoding', detail: `Content-Encoding: ${encoding}`, headers };
  }
  return checkDeclaredLength(c.req.raw, bodyLimit);
}

/** The report as it was before it was packed, or what was wrong with it. */
async function takeReport({ req }: Context): Promise<Uint8Array | Refused> {
  const body = await takeBody(req.raw, bodyLimit);
  if ('code' in body || req.header('content-encoding') !== 'gzip') return body;
  const { bytes, code } = bodyLimit;
  const unpacked = await unpackBody(body, 'gzip', bytes);
  if (unpacked === 'too-large') return { code, detail: `more than ${bytes} bytes, unpacked` };
  return unpacked === 'malformed' ? { code: 'malformed-request', detail: 'the body is not gzip' } : unpacked;
}

function refuseReport(refusal: ReportRefusal): Response {
  return refuse(refusal.code, 'json', refusal.detail, toSdkHeaders(refusal), toSdkBody(refusal));
}

function refuseUnstored(detail: string): Response {
  return refuseReport(describeUnstored(detail));
}

async function keep(c: Context, body: Uint8Array): Promise<Response> {
  const result = await receiveEnvelope(body, { userAgent: c.req.header('user-agent') });
  if (result.status === 'refused') {
    const { httpStatus, detail } = result;
    if (httpStatus === 503) return refuseUnstored(detail);
    return refuseReport({ code: httpStatus === 403 ? 'wrong-dsn' : 'malformed-request', detail });
  }
  const [id] = result.eventIds;
  // A Sentry behind this one may keep what we do not.
  const rateLimits = readSetting('SENTRY_DSN') ? {} : { 'x-sentry-rate-limits': notKeptLimit };
  return c.json(id === undefined ? {} : { id }, 200, { 'cache-control': 'private, no-store', ...rateLimits });
}

/** Takes reports at `path` and lets other paths pass. */
export function tunnel(path: string): MiddlewareHandler {
  const takeToken = createBuckets(limits);

  async function answer(c: Context): Promise<Response> {
    const refusal = checkHeaders(c);
    if (refusal) return refuseReport(refusal);
    const wait = takeToken(currentRequest()?.address || undefined);
    if (wait > 0) return refuseReport(describeTooMany(wait));
    const body = await takeReport(c);
    if ('code' in body) return refuseReport(body);
    try {
      return await keep(c, body);
    } catch (error) {
      // Not rethrown: an error of the store that were reported would come back here.
      writeLog('error', 'report-not-stored', { reason: describeError(error) });
      return refuseUnstored('the report could not be stored');
    }
  }

  return function tunnelMiddleware(c, next) {
    return c.req.path === path ? answer(c) : next();
  };
}
