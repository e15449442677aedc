import 'server-only';

import type { ErrorCode } from '#src/server/http/error-codes.ts';
import { isOwnOrigin, type BodyLimit } from '#src/server/http/check-request.ts';
import { createStrangerPlaces } from '#src/server/http/stranger-places.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { receive, type Refusal, type Stranger } from '#src/server/http/receive.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { createBuckets, sizeInTokens } from '#src/server/http/token-bucket.ts';
import type { IngestResult } from '#src/faults/receive/ingest-envelope.ts';

import { describeUnstored, toSdkBody, toSdkHeaders } from './refuse-report.ts';

/**
 * Takes one report that a browser has posted to its page's own origin. Anyone can post here. It answers with Relay's status codes and
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
  divided: 'shared',
} as const;

/** SDKs outside browsers send neither header. */
function isSameOrigin({ headers, url }: Request, publicOrigin: string | undefined): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  const origin = headers.get('origin');
  return origin === null || isOwnOrigin(origin, url, publicOrigin);
}

function refuseReport(refusal: Refusal): Response {
  receiptCounts.add('tunnel', refusal.code);
  return refuse(refusal.code, 'json', refusal.detail, toSdkHeaders(refusal), toSdkBody(refusal));
}

type ReportTaker = {
  /** Keeps it for good. */
  readonly keep: (body: Uint8Array, userAgent: string | undefined) => Promise<IngestResult>;
  /** For the answer to a report that was kept. */
  readonly headers: () => Record<string, string>;
  /** As for `isOwnOrigin`. */
  readonly publicOrigin?: string | undefined;
  /** Told of each that is refused before anybody is asked to keep it. */
  readonly onRefused?: (code: ErrorCode) => void;
};

function answerKept(result: IngestResult, headers: Record<string, string>): Response {
  if (result.status === 'refused') {
    const { httpStatus, detail } = result;
    if (httpStatus === 503) return refuseReport(describeUnstored(detail));
    return refuseReport({ code: httpStatus === 403 ? 'wrong-dsn' : 'malformed-request', detail });
  }
  receiptCounts.add('tunnel', 'kept');
  const [id] = result.eventIds;
  return Response.json(id === undefined ? {} : { id }, {
    headers: { 'cache-control': 'private, no-store', ...headers },
  });
}

/** @returns a function that answers a request; `address` is the browser's, where it is known */
export function createReportTaker({ keep, headers, publicOrigin, onRefused }: ReportTaker) {
  const takeToken = createBuckets(limits);
  return receive<Stranger>({
    what: 'report',
    codings: ['gzip'],
    limit: bodyLimit,
    authorise: (request, address) =>
      isSameOrigin(request, publicOrigin) ? { address } : { code: 'wrong-origin', detail: 'not from this origin' },
    wait: ({ address }) => takeToken(address || undefined),
    // A megabyte each, as slowly as the deadline allows.
    enter: createStrangerPlaces(16),
    async keep(body, { address }, request) {
      // Taken in any case: the next waits for it.
      takeToken(address || undefined, sizeInTokens(body.byteLength));
      return answerKept(await keep(body, request.headers.get('user-agent') ?? undefined), headers());
    },
    refuse(refusal) {
      onRefused?.(refusal.code);
      return refuseReport(refusal);
    },
  });
}
