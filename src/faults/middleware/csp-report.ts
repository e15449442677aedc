import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { asInteger, asList, asRecord, asText, parseJson, type JsonRecord } from '#src/faults/receive/untrusted-json.ts';
import { checkDeclaredLength, type BodyLimit, type Refused } from '#src/server/http/check-request.ts';
import type { ErrorCode } from '#src/server/http/error-codes.ts';
import { writeLog } from '#src/server/http/log.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
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

/** What a refusal says beside its body. */
const accepted: Partial<Record<ErrorCode, Record<string, string>>> = {
  'wrong-method': { allow: 'POST' },
  'unsupported-type': { accept: 'application/csp-report, application/reports+json' },
  'unsupported-encoding': { 'accept-encoding': 'identity' },
};

function checkHeaders({ req }: Context): Refused | undefined {
  if (req.method !== 'POST') return { code: 'wrong-method', detail: 'only POST' };
  const site = req.header('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site') return { code: 'wrong-origin', detail: `Sec-Fetch-Site: ${site}` };
  const type = req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/csp-report' && type !== 'application/reports+json') {
    return { code: 'unsupported-type', detail: type ?? 'no Content-Type' };
  }
  const encoding = req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') return { code: 'unsupported-encoding', detail: `Content-Encoding: ${encoding}` };
  return checkDeclaredLength(req.raw, bodyLimit);
}

async function takeViolations(request: Request): Promise<Violation[] | Refused> {
  const body = await takeBody(request, bodyLimit);
  if ('code' in body) return body;
  return (
    readViolations(parseJson(Buffer.from(body).toString())) ?? { code: 'malformed-request', detail: 'not a report' }
  );
}

function refuseReport({ code, detail }: Refused, headers = accepted[code]): Response {
  receiptCounts.add('csp-report', code);
  return refuse(code, 'json', detail, headers);
}

/** Takes reports at `path` and lets other paths pass. Answers 204. */
export function cspReport(path: string): MiddlewareHandler {
  const takeToken = createBuckets(limits);

  async function answer(c: Context): Promise<Response> {
    const refusal = checkHeaders(c);
    if (refusal) return refuseReport(refusal);
    const wait = takeToken(currentRequest()?.address || undefined);
    if (wait > 0) {
      return refuseReport({ code: 'too-many-requests', detail: 'too many reports' }, { 'retry-after': String(wait) });
    }
    const violations = await takeViolations(c.req.raw);
    if (!Array.isArray(violations)) return refuseReport(violations);
    logViolations(violations);
    receiptCounts.add('csp-report', 'kept');
    return c.body(null, 204);
  }

  return function cspReportMiddleware(c, next) {
    return c.req.path === path ? answer(c) : next();
  };
}
