import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { asInteger, asList, asRecord, asText, parseJson, type JsonRecord } from '#src/reports/untrusted-json.ts';
import { writeLog } from '#src/http/log.ts';
import { currentRequest } from '#src/http/request-context.ts';

import { closeConnection, readBody } from '#src/http/read-body.ts';
import { createBuckets } from '#src/http/token-bucket.ts';

/**
 * Where browsers say that a page broke its content security policy: a script that this server did not write, an image
 * from elsewhere. Two formats are about: `report-uri` posts one object as `application/csp-report`, `report-to` a list as
 * `application/reports+json`. https://www.w3.org/TR/CSP3/#reporting
 *
 * Anyone can post here, so everything is bounded before it is read, and what is read goes nowhere but to the log.
 */
type Refusal = {
  readonly status: 400 | 403 | 405 | 408 | 413 | 415 | 429;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
};

type Violation = {
  readonly directive: string;
  readonly blocked: string;
  readonly page: string;
  readonly source: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
};

/** Sentry's limit for the same thing. A browser's report has 1 to 2 kB. */
const bodyBytesLimit = 64 * 1024;
/** A browser sends the violations of one page together; a page with more than this is told by the first as well. */
const linesLimit = 10;
const directiveLengthLimit = 64;
const addressLengthLimit = 200;

const limits = {
  /** A page that breaks its policy in several places, reloaded a few times. */
  own: { size: 10, perSecond: 0.5 },
  /** A release that breaks every open page; for long, what a log file can take. */
  shared: { size: 50, perSecond: 2 },
};

/** Of an address, what is before the query: the rest may hold what nobody wants in a log. `inline`, `eval` are as they are. */
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

function checkHeaders(c: Context): Refusal | undefined {
  if (c.req.method !== 'POST') return { status: 405, detail: 'only POST', headers: { allow: 'POST' } };
  const site = c.req.header('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site') return { status: 403, detail: 'not from this origin' };
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/csp-report' && type !== 'application/reports+json') {
    return {
      status: 415,
      detail: 'not a report',
      headers: { accept: 'application/csp-report, application/reports+json' },
    };
  }
  if ((c.req.header('content-encoding') ?? 'identity') !== 'identity') {
    return { status: 415, detail: 'unsupported content-encoding', headers: { 'accept-encoding': 'identity' } };
  }
  if (Number(c.req.header('content-length') ?? 0) > bodyBytesLimit) return { status: 413, detail: 'body is too large' };
  return undefined;
}

async function takeViolations(request: Request): Promise<Violation[] | Refusal> {
  const read = await readBody(request, bodyBytesLimit);
  switch (read.outcome) {
    case 'complete':
      return readViolations(parseJson(Buffer.from(read.body).toString())) ?? { status: 400, detail: 'not a report' };
    case 'too-large':
      return { status: 413, detail: 'body is too large' };
    case 'too-slow':
      return { status: 408, detail: 'body did not arrive in time', headers: closeConnection };
    case 'broken':
      return { status: 400, detail: 'body ended early' };
  }
}

function refuse(c: Context, { status, detail, headers }: Refusal): Response {
  writeLog('warn', 'csp-report-refused', { status, detail, method: c.req.method });
  return c.json({ detail }, status, { 'cache-control': 'private, no-store', ...headers });
}

/** Takes reports at `path`; other paths are not its business. Answers 204. */
export function cspReport(path: string): MiddlewareHandler {
  const takeToken = createBuckets(limits);

  async function answer(c: Context): Promise<Response> {
    const refusal = checkHeaders(c);
    if (refusal) return refuse(c, refusal);
    const wait = takeToken(currentRequest()?.address || undefined);
    if (wait > 0) {
      const headers = { 'retry-after': String(wait) };
      return refuse(c, { status: 429, detail: 'too many reports', headers });
    }
    const violations = await takeViolations(c.req.raw);
    if (!Array.isArray(violations)) return refuse(c, violations);
    logViolations(violations);
    return c.body(null, 204);
  }

  return function cspReportMiddleware(c, next) {
    return c.req.path === path ? answer(c) : next();
  };
}
