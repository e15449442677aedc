import 'server-only';

import { checkDeclaredLength, isOwnOrigin, type BodyLimit, type Refused } from '#src/server/http/check-request.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { createBuckets, sizeInTokens } from '#src/server/http/token-bucket.ts';
import { unpackBody } from '#src/server/http/unpack-body.ts';
import type { IngestResult } from '#src/faults/receive/ingest-envelope.ts';

import { describeTooMany, describeUnstored, toSdkBody, toSdkHeaders, type ReportRefusal } from './refuse-report.ts';

/**
 * Takes one report that a browser has posted to its page's own origin. Anyone can post here, so everything is bounded before it is
 * read, in this order: method, origin, encoding, declared length, rate, counted length, length after unpacking. It answers
 * with Relay's status codes and headers, because the SDK's transport understands those: 200 with the event's id after it is on disk.
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
  divided: 'shared',
} as const;

/** SDKs outside browsers send neither header. */
function isSameOrigin({ headers, url }: Request, publicOrigin: string | undefined): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  const origin = headers.get('origin');
  return origin === null || isOwnOrigin(origin, url, publicOrigin);
}

function checkHeaders(request: Request, publicOrigin: string | undefined): ReportRefusal | undefined {
  if (request.method !== 'POST') return { code: 'wrong-method', detail: 'only POST', headers: { allow: 'POST' } };
  if (!isSameOrigin(request, publicOrigin)) return { code: 'wrong-origin', detail: 'not from this origin' };
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  // Brotli is left out on purpose: 800 bytes of it unpack to half a gigabyte, and no SDK sends it.
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const headers = { 'accept-encoding': 'gzip, identity' };
    return { code: 'unsupported-encoding', detail: `Content-Encoding: ${encoding}`, headers };
  }
  return checkDeclaredLength(request, bodyLimit);
}

/** The report as it was before it was packed, or what was wrong with it. */
async function readReport(request: Request): Promise<Uint8Array | Refused> {
  const body = await takeBody(request, bodyLimit);
  if ('code' in body || request.headers.get('content-encoding') !== 'gzip') return body;
  const { bytes, code } = bodyLimit;
  const unpacked = await unpackBody(body, 'gzip', bytes);
  if (unpacked === 'too-large') return { code, detail: `more than ${bytes} bytes, unpacked` };
  return unpacked === 'malformed' ? { code: 'malformed-request', detail: 'the body is not gzip' } : unpacked;
}

function refuseReport(refusal: ReportRefusal): Response {
  receiptCounts.add('tunnel', refusal.code);
  return refuse(refusal.code, 'json', refusal.detail, toSdkHeaders(refusal), toSdkBody(refusal));
}

function refuseUnstored(detail: string): Response {
  return refuseReport(describeUnstored(detail));
}

type ReportTaker = {
  /** Keeps it for good. What it throws is answered with 503. */
  readonly keep: (body: Uint8Array, userAgent: string | undefined) => Promise<IngestResult>;
  /** For the answer to a report that was kept. */
  readonly headers: () => Record<string, string>;
  /** As for `isOwnOrigin`. */
  readonly publicOrigin?: string | undefined;
};

function answerKept(result: IngestResult, headers: Record<string, string>): Response {
  if (result.status === 'refused') {
    const { httpStatus, detail } = result;
    if (httpStatus === 503) return refuseUnstored(detail);
    return refuseReport({ code: httpStatus === 403 ? 'wrong-dsn' : 'malformed-request', detail });
  }
  receiptCounts.add('tunnel', 'kept');
  const [id] = result.eventIds;
  return Response.json(id === undefined ? {} : { id }, {
    headers: { 'cache-control': 'private, no-store', ...headers },
  });
}

/** @returns a function that answers a request; `address` is the browser's, where it is known */
export function createReportTaker({ keep, headers, publicOrigin }: ReportTaker) {
  const takeToken = createBuckets(limits);
  return async function takeReport(request: Request, address: string | undefined): Promise<Response> {
    const refusal = checkHeaders(request, publicOrigin);
    if (refusal) return refuseReport(refusal);
    const wait = takeToken(address || undefined);
    if (wait > 0) return refuseReport(describeTooMany(wait));
    const body = await readReport(request);
    if ('code' in body) return refuseReport(body);
    // Taken in any case: the next waits for it.
    takeToken(address || undefined, sizeInTokens(body.byteLength));
    try {
      return answerKept(await keep(body, request.headers.get('user-agent') ?? undefined), headers());
    } catch (error) {
      // Not rethrown: an error of the store that were reported would come back here.
      writeLog('error', 'report-not-stored', { reason: describeError(error) });
      return refuseUnstored('the report could not be stored');
    }
  };
}
