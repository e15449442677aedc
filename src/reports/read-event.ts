import 'server-only';

import { isDigest } from '#src/runtime/errors/digest.ts';
import type { StackFrame } from '#src/runtime/errors/stack.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';

import type { Breadcrumb } from './incident.ts';
import { scrubData } from './scrub.ts';
import { toLevel } from './stored-json.ts';
import { createTextBudget, type TextBudget } from './text-budget.ts';
import { asInteger, asList, asRecord, asText, boundText, type JsonRecord } from './untrusted-json.ts';

/**
 * A Sentry event, reduced to what an incident shows. Only what is named here is copied: no user, no cookies, no bodies,
 * and no headers but the browser's own name. Every text is cut and scrubbed. The report's budget of text is spent on
 * the message and the stack first, then on the newest breadcrumbs. Format:
 * https://develop.sentry.dev/sdk/foundations/transport/event-payloads/ ; older SDKs send lists where newer ones send
 * `{values: []}`, and tags as pairs.
 */
export type ReceivedEvent = {
  readonly digest: string | undefined;
  /** Milliseconds since 1970 by the sender's clock; undefined when it did not say. */
  readonly time: number | undefined;
  readonly name: string;
  readonly message: string;
  readonly path: string;
  /** Innermost first. `file` is a URL's path, or a file's. */
  readonly frames: readonly StackFrame[];
  /** Lines `    at Name (/assets/index.js:1:2)`. */
  readonly componentStack: string | undefined;
  readonly userAgent: string | undefined;
  readonly release: string | undefined;
  readonly traceId: string | undefined;
  /** Oldest first, by the sender's clock. The receiver sets `side`. */
  readonly breadcrumbs: readonly Omit<Breadcrumb, 'side'>[];
};

/**
 * Bytes in the stored row: UTF-8, after JSON's escapes. Each limit is longer than any message a person reads. A row
 * with all of these at their limit stays below 150 KiB (`ingest-envelope.ts` bounds the sums).
 */
const limits = {
  name: 256,
  message: 8_192,
  fn: 256,
  file: 1_024,
  url: 2_048,
  componentStack: 8_192,
  userAgent: 512,
  release: 200,
  category: 64,
  crumbMessage: 512,
  dataKey: 64,
  dataValue: 512,
} as const;
/** As many as the runtime keeps of its own stacks. */
const framesKept = 50;
/** The latest time that JavaScript's `Date` can hold. Arithmetic up to here is exact. */
const latestTime = 8_640_000_000_000_000;

/** Reads a list, a list under `values`, or a single record. */
function readValues(value: unknown): readonly JsonRecord[] {
  const record = asRecord(value);
  const list = asList(value) ?? asList(record?.['values']) ?? (record && !('values' in record) ? [record] : []);
  return list.map(asRecord).filter((item) => item !== undefined);
}

/** Seconds since 1970, or RFC 3339. */
function readTime(value: unknown): number | undefined {
  const time =
    typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value.slice(0, 64)) : Number.NaN;
  return time >= 0 && time <= latestTime ? Math.round(time) : undefined;
}

function readTag(tags: unknown, name: string): unknown {
  const record = asRecord(tags);
  if (record) return record[name];
  for (const tag of asList(tags) ?? []) {
    const pair = asList(tag);
    if (pair?.[0] === name) return pair[1];
    const entry = asRecord(tag);
    if (entry?.['key'] === name) return entry['value'];
  }
  return undefined;
}

function readFile(frame: JsonRecord, budget: TextBudget): string {
  const file = asText(frame['abs_path'] ?? frame['filename'], limits.file) ?? '';
  return /^https?:/.test(file) ? budget.scrubPath(file, limits.file) : budget.scrub(file, limits.file);
}

function readStack(exception: JsonRecord | undefined, budget: TextBudget): StackFrame[] {
  const frames = asList(asRecord(exception?.['stacktrace'])?.['frames']) ?? [];
  return frames
    .slice(-framesKept)
    .toReversed()
    .map(asRecord)
    .filter((frame) => frame !== undefined)
    .map((frame) => {
      const fn = asText(frame['function'], limits.fn) ?? '';
      return {
        fn: fn === '?' ? '' : fn,
        file: readFile(frame, budget),
        line: Math.max(1, asInteger(frame['lineno']) ?? 1),
        column: Math.max(1, asInteger(frame['colno']) ?? 1),
      };
    });
}

/** `captureReactException` adds the component stack to the error as a cause of this name. */
function isComponentStack(exception: JsonRecord): boolean {
  return typeof exception['type'] === 'string' && exception['type'].startsWith('React ErrorBoundary ');
}

function readComponentStack(
  event: JsonRecord,
  exceptions: readonly JsonRecord[],
  budget: TextBudget,
): string | undefined {
  const react = asRecord(asRecord(event['contexts'])?.['react']);
  const text = asText(react?.['componentStack'], limits.componentStack);
  // Scripts are named by their paths everywhere. The report's own path says which host they came from.
  if (text) return budget.scrub(text.replace(/https?:\/\/[^\s/()]{1,256}/g, ''), limits.componentStack);
  const frames = readStack(exceptions.find(isComponentStack), budget);
  const lines = frames.map(({ fn, file, line, column }) => `    at ${fn || '<anonymous>'} (${file}:${line}:${column})`);
  return lines.length > 0 ? boundText(lines.join('\n'), limits.componentStack) : undefined;
}

/** The thrown error among its causes. SDKs give it the number 0 and put it last. */
function findThrown(exceptions: readonly JsonRecord[]): JsonRecord | undefined {
  return exceptions.find((exception) => asRecord(exception['mechanism'])?.['exception_id'] === 0) ?? exceptions.at(-1);
}

function readMessage(event: JsonRecord): string | undefined {
  const entry = asRecord(event['logentry']) ?? asRecord(event['message']);
  return asText(event['message'] ?? entry?.['formatted'], limits.message) ?? asText(entry?.['message'], limits.message);
}

/** The server's events name no URL, because a request's host is not certain there. */
function readPath(event: JsonRecord, budget: TextBudget): string {
  const url = asText(asRecord(event['request'])?.['url'], limits.url);
  return budget.scrubPath(url ?? asText(event['transaction'], limits.url) ?? '', limits.url);
}

function readUserAgent(event: JsonRecord): string | undefined {
  const headers = asRecord(event['request'])?.['headers'];
  return asText(readTag(headers, 'User-Agent') ?? readTag(headers, 'user-agent'), limits.userAgent);
}

function readBreadcrumb(crumb: JsonRecord, time: number, budget: TextBudget): Omit<Breadcrumb, 'side'> {
  return {
    time,
    category: budget.scrub(asText(crumb['category'] ?? crumb['type'], limits.category) ?? '', limits.category),
    level: toLevel(crumb['level']),
    message: budget.scrub(asText(crumb['message'], limits.crumbMessage) ?? '', limits.crumbMessage),
    data: scrubData(crumb['data'], budget.scrub),
  };
}

/** Newest first, until the budget is used up: the newest tell more about the error than the older ones. */
function readBreadcrumbs(event: JsonRecord, budget: TextBudget): Omit<Breadcrumb, 'side'>[] {
  const timed = readValues(event['breadcrumbs'])
    .slice(-runtimeSettings.breadcrumbsKept)
    .flatMap((crumb) => {
      const time = readTime(crumb['timestamp']);
      return time === undefined ? [] : [{ crumb, time }];
    })
    .sort((a, b) => a.time - b.time);
  const kept: Omit<Breadcrumb, 'side'>[] = [];
  for (const { crumb, time } of timed.toReversed()) {
    if (budget.isUsedUp()) break;
    kept.push(readBreadcrumb(crumb, time, budget));
  }
  return kept.toReversed();
}

function readHex(value: unknown, length: number): string | undefined {
  return typeof value === 'string' && value.length === length && /^[\da-f]+$/.test(value) ? value : undefined;
}

/** The event; undefined when it has neither an exception nor a message, because then there is nothing to show. */
export function readEvent(event: JsonRecord): ReceivedEvent | undefined {
  const exceptions = readValues(event['exception']);
  const thrown = findThrown(exceptions);
  const text = asText(thrown?.['value'], limits.message) ?? readMessage(event);
  const type = asText(thrown?.['type'], limits.name);
  if (text === undefined && type === undefined) return undefined;
  const digest = readTag(event['tags'], 'digest');
  const budget = createTextBudget();
  return {
    digest: isDigest(digest) ? digest : undefined,
    time: readTime(event['timestamp']),
    // A captured message comes as an exception without a type.
    name: budget.scrub(type ?? 'Message', limits.name),
    message: budget.scrub(text ?? '', limits.message),
    path: readPath(event, budget),
    frames: readStack(thrown, budget),
    componentStack: readComponentStack(event, exceptions, budget),
    userAgent: readUserAgent(event),
    release: asText(event['release'], limits.release),
    traceId: readHex(asRecord(asRecord(event['contexts'])?.['trace'])?.['trace_id'], 32),
    breadcrumbs: readBreadcrumbs(event, budget),
  };
}
