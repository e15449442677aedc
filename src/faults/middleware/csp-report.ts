import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { asInteger, asList, asRecord, asText, parseJson, type JsonRecord } from '#src/faults/receive/untrusted-json.ts';
import type { BodyLimit, Refused } from '#src/server/http/check-request.ts';
import { writeLog } from '#src/server/http/log.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { receive, type Refusal, type Stranger } from '#src/server/http/receive.ts';
import { enterStranger } from '#src/server/http/stranger-places.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';

/**
 * Where browsers say that a page broke its content security policy: a script that this server did not write, an image
 * from elsewhere. There are two formats: `report-uri` posts one object as `application/csp-report`, `report-to` a list as
 * `application/reports+json`. https://www.w3.org/TR/CSP3/#reporting
 *
 * Anyone can post here, so everything is bounded before it is read, and what is read goes to the log alone.
 */
type Violation = {
  readonly directive: string;
  readonly blocked: string;
  readonly page: string;
  readonly source: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
};

/** Sentry's limit for the same thing. A browser's error has 1 to 2 kB. */
const bodyLimit: BodyLimit = { bytes: 64 * 1024, code: 'body-too-large' };
/** A browser sends the violations of one page together; a page with more than this is told by the first as well. */
const linesLimit = 10;
const directiveLengthLimit = 64;
const addressLengthLimit = 200;

const limits = {
  /** A page that breaks its policy in several places and is reloaded a few times. */
  own: { size: 10, perSecond: 0.5 },
  /** At once: a release that breaks every open page. For long: what a log file can take. */
  shared: { size: 50, perSecond: 2 },
};

/** An address without its query and fragment, which may hold personal data. `inline` and `eval` stay as they are. */
function withoutQuery(value: unknown): string {
  const [address = ''] = (asText(value, addressLengthLimit) ?? '').split(/[?#]/, 1);
  return address;
}

/** The two formats differ in the names: `blocked-uri`, `blockedURL`. */
function readViolation(body: JsonRecord): Violation {
  const directive = body['effectiveDirective'] ?? body['effective-directive'] ?? body['violated-directive'];
  return {
    directive: asText(directive, directiveLengthLimit) ?? '',
    blocked: withoutQuery(body['blockedURL'] ?? body['blocked-uri']),
    page: withoutQuery(body['documentURL'] ?? body['document-uri']),
    source: withoutQuery(body['sourceFile'] ?? body['source-file']),
    line: asInteger(body['lineNumber'] ?? body['line-number']),
    column: asInteger(body['columnNumber'] ?? body['column-number']),
  };
}

/** The violations in a report; undefined when it is none. Reports of other kinds come in the same list and are left out. */
function readViolations(value: unknown): Violation[] | undefined {
  const single = asRecord(asRecord(value)?.['csp-report']);
  if (single) return [readViolation(single)];
  const list = asList(value);
  if (!list) return undefined;
  return list.flatMap((entry) => {
    const report = asRecord(entry);
    const body = report?.['type'] === 'csp-violation' ? asRecord(report['body']) : undefined;
    return body ? [readViolation(body)] : [];
  });
}

/** One line for each violation, with how often it is there. */
function logViolations(violations: readonly Violation[]): void {
  const counts = new Map<string, { readonly violation: Violation; count: number }>();
  for (const violation of violations) {
    const key = JSON.stringify(violation);
    const known = counts.get(key);
    if (known) known.count += 1;
    else counts.set(key, { violation, count: 1 });
  }
  const leftOut = Math.max(0, counts.size - linesLimit);
  for (const { violation, count } of [...counts.values()].slice(0, linesLimit)) {
    writeLog('warn', 'csp-violation', { ...violation, count, ...(leftOut > 0 ? { leftOut } : {}) });
  }
}

/** A page of another site has no policy of ours. */
function checkSite({ headers }: Request): Refused | undefined {
  const site = headers.get('sec-fetch-site');
  const isForeign = site === 'cross-site' || site === 'same-site';
  return isForeign ? { code: 'wrong-origin', detail: `Sec-Fetch-Site: ${site}` } : undefined;
}

function refuseReport({ code, detail, headers }: Refusal): Response {
  receiptCounts.add('csp-report', code);
  return refuse(code, 'json', detail, headers);
}

function take(body: Uint8Array): Response {
  const violations = readViolations(parseJson(Buffer.from(body).toString()));
  if (!violations) return refuseReport({ code: 'malformed-request', detail: 'not a report' });
  logViolations(violations);
  receiptCounts.add('csp-report', 'kept');
  return new Response(null, { status: 204 });
}

/** Takes reports at `path` and lets other paths pass. Answers 204. */
export function cspReport(path: string): MiddlewareHandler {
  const takeToken = createBuckets(limits);
  const answer = receive<Stranger>({
    what: 'report',
    types: ['application/csp-report', 'application/reports+json'],
    limit: bodyLimit,
    authorise: (request, address) => checkSite(request) ?? { address },
    wait: ({ address }) => takeToken(address || undefined),
    enter: enterStranger,
    keep: take,
    refuse: refuseReport,
  });

  return function cspReportMiddleware(c, next) {
    return c.req.path === path ? answer(c.req.raw, currentRequest()?.address) : next();
  };
}
