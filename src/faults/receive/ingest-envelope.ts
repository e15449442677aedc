import 'server-only';

import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { parseDsn } from '#src/server/environment/parse-dsn.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { isDigest } from '#report/digest.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { Side } from '#src/store/schema.ts';

import { type EnvelopeItem, parseEnvelope } from './envelope.ts';
import { groupOldTab } from '../builds/group-old-tab.ts';
import { joinChunkError } from '../builds/join-chunk-error.ts';
import { readHex } from '../event/event-values.ts';
import { readEvent } from '../event/read-event.ts';
import { readFeedback, readUserReport } from '../event/read-feedback.ts';
import { toEvent } from '../event/to-rows.ts';
import { trimEvent } from '../event/trim-event.ts';
import type { EventToKeep } from '../kept/insert-event.ts';
import type { NewFeedback } from '../feedback/add-feedback.ts';
import { keepReceived } from './keep-received.ts';
import { countItem, type Outcome, readClientReport } from './outcomes.ts';
import { asRecord, createJsonBudget, isWithin, type JsonBudget, type JsonRecord, parseJson } from './untrusted-json.ts';

/**
 * Turns what an SDK sends into rows. It keeps one event with an exception, a message or a stack, what people wrote about
 * errors, and the sums of client reports. Everything else is counted and dropped. The rows are committed, with the log flushed to
 * disk, before the promise resolves: after `stored`, the caller may forget the envelope.
 */
export type IngestResult =
  | { readonly status: 'stored'; readonly eventIds: readonly string[] }
  | { readonly status: 'refused'; readonly httpStatus: 400 | 403 | 503; readonly detail: string };

/** What is known of the sender apart from the envelope. */
export type Sender = {
  /** Whose it is; without it this server's own. */
  readonly app?: string;
  /** By the key that came with it. What a browser sends is untrusted. */
  readonly side?: Side;
  readonly userAgent?: string | undefined;
};

/** Relay's limit for one event. A larger one loses its largest parts. */
const eventBytesLimit = 1024 * 1024;
/** A larger one is parsed in a turn of the event loop of its own, and read in the next: each may take 15 ms. */
const turnBytes = 64 * 1024;
/** SDKs put only a few items into an envelope. The rest is counted. */
const itemsKept = 100;
/** Relay takes one; a queue of an SDK that was offline may hold some. */
const feedbackKept = 5;

/** One for all: making it costs more than decoding an event. */
const decoder = new TextDecoder();

function createEventId(): string {
  return randomUUID().replaceAll('-', '');
}

type ParsedEvent = { readonly event: JsonRecord; readonly leftOut: readonly string[] };

/** The event's JSON, without its largest parts when it is too large. */
async function parseEvent(payload: Uint8Array, budget: JsonBudget): Promise<ParsedEvent | 'too_large' | 'malformed'> {
  const isSmall = payload.length <= eventBytesLimit && isWithin(budget, payload);
  const trimmed = isSmall
    ? { bytes: payload, leftOut: [] }
    : await trimEvent(payload, eventBytesLimit, (bytes) => isWithin(budget, bytes));
  if (!trimmed) return 'too_large';
  if (trimmed.bytes.length > turnBytes) await nextTurn();
  const event = asRecord(parseJson(decoder.decode(trimmed.bytes)));
  return event ? { event, leftOut: trimmed.leftOut } : 'malformed';
}

/** What is collected of one envelope. */
type Collected = {
  event: EventToKeep | undefined;
  readonly eventIds: string[];
  readonly feedback: NewFeedback[];
  readonly outcomes: Outcome[];
};

function groupAgain(event: EventToKeep, grouping: Grouping): EventToKeep {
  return { ...event, grouping, row: { ...event.row, fingerprint: grouping.fingerprint } };
}

type Envelope = {
  readonly header: JsonRecord;
  readonly app: string;
  readonly sender: Sender;
  readonly receivedAt: number;
  readonly budget: JsonBudget;
};

async function collectEvent(payload: Uint8Array, from: Envelope, to: Collected): Promise<void> {
  const { header, app, sender, receivedAt, budget } = from;
  // Relay's rule: one event in an envelope.
  if (to.event) return void to.outcomes.push(countItem('event', 'excess'));
  const parsed = await parseEvent(payload, budget);
  if (typeof parsed === 'string') return void to.outcomes.push(countItem('event', parsed));
  const { event, leftOut } = parsed;
  if (payload.length > turnBytes) await nextTurn();
  // Sent to the address for single events, or by an SDK that mistakes the type.
  if (event['type'] === 'transaction') return void to.outcomes.push(countItem('transaction', 'not_kept'));
  const side = sender.side ?? 'browser';
  const digests = app === ownApp ? { isDigest } : {};
  const read = readEvent(event, { side, header, trimmed: leftOut, ...digests });
  if (!read) return void to.outcomes.push(countItem('event', 'malformed'));
  const id = readHex(header['event_id'], 32) ?? readHex(event['event_id'], 32) ?? createEventId();
  const at = { app, header, receivedAt, userAgent: sender.userAgent };
  const oldTab = side === 'browser' ? await joinChunkError(read, app) : undefined;
  const told = await toEvent(oldTab ?? read, id, side, at);
  to.event = oldTab ? groupAgain(told, groupOldTab(oldTab.name)) : told;
  to.eventIds.unshift(id);
}

async function collectFeedback(item: EnvelopeItem, from: Envelope, to: Collected): Promise<void> {
  const type = item.type === 'feedback' ? 'feedback' : 'user_report';
  if (to.feedback.length >= feedbackKept) return void to.outcomes.push(countItem(type, 'excess'));
  const parsed = await parseEvent(item.payload, from.budget);
  if (typeof parsed === 'string') return void to.outcomes.push(countItem(type, parsed));
  const { event } = parsed;
  const feedback = type === 'feedback' ? readFeedback(event, from) : readUserReport(event, from);
  if (!feedback) return void to.outcomes.push(countItem(type, 'malformed'));
  to.feedback.push(feedback);
  const id = readHex(from.header['event_id'], 32) ?? readHex(event['event_id'], 32);
  if (id !== undefined) to.eventIds.push(id);
}

async function collectItem(item: EnvelopeItem, from: Envelope, to: Collected): Promise<void> {
  switch (item.type) {
    case 'event':
      return collectEvent(item.payload, from, to);
    case 'feedback':
    case 'user_report':
      return collectFeedback(item, from, to);
    case 'client_report':
      return void to.outcomes.push(...readClientReport(item.payload, from.budget));
    default:
      return void to.outcomes.push(countItem(item.type, 'not_kept'));
  }
}

async function keep(collected: Collected, { app, receivedAt }: Envelope): Promise<IngestResult> {
  const { event, feedback, outcomes } = collected;
  const eventIds = [...new Set(collected.eventIds)];
  if (!event && feedback.length === 0 && outcomes.length === 0) return { status: 'stored', eventIds };
  const result = await keepReceived({ app, event, feedback, outcomes, receivedAt });
  switch (result) {
    case 'kept':
      return { status: 'stored', eventIds };
    case 'queue-full':
      return { status: 'refused', httpStatus: 503, detail: 'too many reports are waiting' };
    case 'no-room':
      return { status: 'refused', httpStatus: 503, detail: 'no room to keep reports' };
  }
}

function isForUs(dsn: unknown): boolean {
  if (dsn === undefined) return true;
  const given = typeof dsn === 'string' ? parseDsn(dsn)?.normal : undefined;
  return given !== undefined && [parseDsn(localDsn)?.normal, readSetting('SENTRY_DSN')?.normal].includes(given);
}

function createCollected(outcomes: Outcome[] = []): Collected {
  return { event: undefined, eventIds: [], feedback: [], outcomes };
}

/**
 * Keeps what an envelope reports. For another app the caller has compared the envelope's DSN already.
 * @throws the database's error when the rows could not be written
 */
export async function ingestEnvelope(bytes: Uint8Array, sender: Sender = {}): Promise<IngestResult> {
  const app = sender.app ?? ownApp;
  const budget = createJsonBudget();
  const receivedAt = Date.now();
  const envelope = parseEnvelope(bytes, budget);
  if (envelope.status === 'malformed') return { status: 'refused', httpStatus: 400, detail: envelope.detail };
  const { header, items } = envelope;
  if (app === ownApp && !isForUs(header['dsn'])) {
    return { status: 'refused', httpStatus: 403, detail: 'dsn is not ours' };
  }
  const from = { header, app, sender, receivedAt, budget };
  const collected = createCollected([
    ...Array.from({ length: envelope.malformedItems }, () => countItem('unknown', 'malformed')),
    ...items.slice(itemsKept).map(({ type }) => countItem(type, 'excess')),
  ]);
  for (const item of items.slice(0, itemsKept)) await collectItem(item, from, collected);
  return keep(collected, from);
}

/**
 * Keeps one event that came without an envelope.
 * @throws the database's error when the row could not be written
 */
export async function ingestEvent(bytes: Uint8Array, sender: Sender = {}): Promise<IngestResult> {
  const app = sender.app ?? ownApp;
  const budget = createJsonBudget();
  const from = { header: {}, app, sender, receivedAt: Date.now(), budget };
  const collected = createCollected();
  await collectEvent(bytes, from, collected);
  const isMalformed = !collected.event && collected.outcomes.some(({ reason }) => reason === 'malformed');
  if (isMalformed) return { status: 'refused', httpStatus: 400, detail: 'the body is not an event' };
  return keep(collected, from);
}
