import 'server-only';

import { scrubSecrets } from '../scrubbing/scrub.ts';
import { createTextBudget, type TextBudget } from '../receive/text-budget.ts';
import { asRecord, asText, type JsonRecord } from '../receive/untrusted-json.ts';
import type { Level } from '#src/store/schema.ts';

import { findEventDigest } from './find-event-digest.ts';
import { readFirst, readGivenFingerprint, readHex, readPair, readTime, readWord } from './event-values.ts';
import { type EventBreadcrumb, readEventBreadcrumbs } from './read-breadcrumbs.ts';
import { readExtra, readTags } from './read-details.ts';
import { createFrameReader, type EventFrame } from './read-event-frames.ts';
import {
  type EventCause,
  isSynthetic,
  listMessages,
  readComponentStack,
  readEventCauses,
  readExceptions,
  readMechanism,
} from './read-exceptions.ts';
import { type Origin, readLevel, readOrigin } from './read-origin.ts';
import { readSaidWords, type SaidWords } from './said-words.ts';

/**
 * A Sentry event, reduced to what an error shows. Only what is named here is copied: no cookies, no bodies, no headers but
 * the browser's own name, no address of anybody, and of the user only a text that is hashed before it is stored. Every text is cut
 * and scrubbed: what a browser reports by all rules, what a server reports by those for secrets, as for our own errors. The
 * event's budget of text is spent on the message and the stack first, last on the newest breadcrumbs. Format:
 * https://develop.sentry.dev/sdk/foundations/transport/event-payloads/ ; older SDKs send lists where newer ones send
 * `{values: []}`, and tags as pairs.
 */
export type ReceivedEvent = Origin & {
  readonly said: SaidWords;
  readonly digest: string | undefined;
  /** Milliseconds since 1970 by the sender's clock; undefined when it did not say. */
  readonly time: number | undefined;
  readonly level: Level;
  readonly name: string;
  readonly message: string;
  /** The log entry's pattern: errors that differ only in its values are one fault. */
  readonly template: string | undefined;
  /** The type was made up by the SDK. */
  readonly isSynthetic: boolean;
  readonly path: string;
  /** Innermost first. `file` is a URL's path, or a file's. */
  readonly frames: readonly EventFrame[];
  readonly causes: readonly EventCause[];
  /** The fingerprint that its sender gave. */
  readonly fingerprint: readonly string[] | undefined;
  /** Lines `    at Name (/assets/index.js:1:2)`. */
  readonly componentStack: string | undefined;
  readonly userAgent: string | undefined;
  readonly release: string | undefined;
  readonly traceId: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, string>>;
  /** Who had it, in the sender's words. Not to be stored. */
  readonly user: string | undefined;
  /** Oldest first, by the sender's clock. */
  readonly breadcrumbs: readonly EventBreadcrumb[];
};

/**
 * Bytes in the stored row: UTF-8, after JSON's escapes. Each limit is longer than any message a person reads. A row
 * with all of these at their limit stays below 150 KiB (`format-row.ts` bounds the sums).
 */
const limits = {
  name: 256,
  message: 8_192,
  url: 2_048,
  userAgent: 512,
  release: 200,
  user: 256,
} as const;

/** The server's events name no host, because a request's host is not certain there. */
function readPath(event: JsonRecord, budget: TextBudget): string {
  const request = asRecord(event['request']) ?? asRecord(event['sentry.interfaces.Http']);
  const next = asRecord(asRecord(event['contexts'])?.['nextjs']);
  const transaction = asText(event['transaction'], limits.url)?.replace(/^[A-Z]{3,10}\s+(?=\/)/, '');
  const url = asText(request?.['url'], limits.url) || asText(next?.['request_path'], limits.url) || transaction;
  return budget.scrubPath(url ?? '', limits.url);
}

function readUserAgent(event: JsonRecord): string | undefined {
  const headers = asRecord(event['request'])?.['headers'];
  return asText(readFirst(readPair(headers, 'user-agent')), limits.userAgent);
}

/** An address is no user, and stands for several. */
function readUser(event: JsonRecord): string | undefined {
  const user = asRecord(event['user']);
  for (const name of ['id', 'username', 'email']) {
    const word = readWord(user?.[name], limits.user);
    if (word !== undefined) return `${name}:${word}`;
  }
  return undefined;
}

function readTraceId(event: JsonRecord, header: JsonRecord): string | undefined {
  const own = readHex(asRecord(asRecord(event['contexts'])?.['trace'])?.['trace_id'], 32);
  return own ?? readHex(asRecord(header['trace'])?.['trace_id'], 32);
}

export type EventSource = {
  readonly side: 'server' | 'browser';
  /** Of the envelope. */
  readonly header?: JsonRecord;
  /** Decides which digests there can be. */
  readonly isDigest?: (digest: string) => boolean;
  /** What was left out of the event because it was too large. */
  readonly trimmed?: readonly string[];
};

/** The event; undefined when it has no exception, no message and no stack, because then there is nothing to show. */
export function readEvent(event: JsonRecord, source: EventSource = { side: 'browser' }): ReceivedEvent | undefined {
  const { side, header = {}, isDigest = () => true, trimmed = [] } = source;
  const exceptions = readExceptions(event);
  const budget = side === 'server' ? createTextBudget(scrubSecrets) : createTextBudget();
  // A captured message comes as an exception without a type.
  const name = budget.scrub(exceptions.name ?? 'Message', limits.name);
  const message = budget.scrub(exceptions.message ?? '', limits.message);
  const template = exceptions.template && budget.scrub(exceptions.template, limits.message);
  const readFrames = createFrameReader(event, budget);
  const frames = readFrames(exceptions.stacktrace);
  const isEmpty = exceptions.name === undefined && exceptions.message === undefined && frames.length === 0;
  if (isEmpty) return undefined;
  const digest = findEventDigest(event, { messages: listMessages(exceptions) });
  return {
    ...readOrigin(event, header, readMechanism(exceptions)),
    said: readSaidWords({ event, header }),
    name,
    message,
    template,
    frames,
    digest: digest !== undefined && isDigest(digest) ? digest : undefined,
    time: readTime(event['timestamp']),
    level: readLevel(event['level']),
    isSynthetic: isSynthetic(exceptions),
    path: readPath(event, budget),
    causes: readEventCauses(exceptions, budget, readFrames),
    fingerprint: readGivenFingerprint(event['fingerprint'], budget.scrub),
    componentStack: readComponentStack(event, exceptions, budget, readFrames),
    userAgent: readUserAgent(event),
    release: readWord(event['release'], limits.release),
    traceId: readTraceId(event, header),
    tags: readTags(event, budget),
    extra: readExtra(event, budget, trimmed),
    user: readUser(event),
    breadcrumbs: readEventBreadcrumbs(event, budget),
  };
}
