import 'server-only';

import { randomUUID } from 'node:crypto';

import type { Insertable } from 'kysely';

import { computeFingerprint } from '#src/runtime/errors/fingerprint.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';
import { openStore } from '#src/store/open-store.ts';
import type { ReportTable } from '#src/store/schema.ts';

import { nameFramesBySource, resolveBrowserFrames, resolveComponentStack } from './client-maps.ts';
import { type EnvelopeItem, parseEnvelope } from './envelope.ts';
import { addOutcomes, countItem, type Outcome, readClientReport } from './outcomes.ts';
import { parseDsn, readConfiguredDsn } from './parse-dsn.ts';
import { type ReceivedEvent, readEvent } from './read-event.ts';
import { ageLimitMs } from './retention.ts';
import {
  asRecord,
  asText,
  createJsonBudget,
  isWithin,
  type JsonBudget,
  type JsonRecord,
  parseJson,
} from './untrusted-json.ts';

/**
 * From an envelope to rows. Kept are events with an exception or a message; client reports are added up; everything else
 * is counted and let go. The rows are committed, with the log flushed to disk, before the promise resolves: whoever gets
 * `stored` may forget the envelope.
 */
export type IngestResult =
  | { readonly status: 'stored'; readonly eventIds: readonly string[] }
  | { readonly status: 'refused'; readonly httpStatus: 400 | 403 | 503; readonly detail: string };

/** What is known of the sender besides the envelope. */
export type Sender = { readonly userAgent?: string | undefined };

/** Relay's limit for one event. */
const eventBytesLimit = 1024 * 1024;
/** 100 breadcrumbs are some 20 KiB; with all their details at the limit they would be a megabyte in every row. */
const breadcrumbsJsonLimit = 64 * 1024;
/**
 * A report leaves as soon as it is made, so a larger difference between its `sent_at` and our clock is a wrong clock
 * there, and is taken off its times. Smaller ones may as well be a slow connection.
 */
const clockDriftMs = 10_000;

/** 32 hex digits, as Sentry writes an id. */
function readEventId(value: unknown): string | undefined {
  const plain = typeof value === 'string' && value.length <= 36 ? value.replaceAll('-', '').toLowerCase() : '';
  return /^[\da-f]{32}$/.test(plain) ? plain : undefined;
}

function createEventId(): string {
  return randomUUID().replaceAll('-', '');
}

/** How far the sender's clock is behind ours, when it is worth correcting. */
function measureDrift(header: JsonRecord, receivedAt: number): number {
  const sentAt = Date.parse(asText(header['sent_at'], 64) ?? '');
  const drift = receivedAt - sentAt;
  return Math.abs(drift) > clockDriftMs ? drift : 0;
}

/** A time that no clock can have is the time of arrival. */
function clampTime(time: number | undefined, drift: number, receivedAt: number): number {
  if (time === undefined) return receivedAt;
  const corrected = time + drift;
  return corrected < receivedAt - ageLimitMs ? receivedAt : Math.min(corrected, receivedAt);
}

function formatBreadcrumbs(event: ReceivedEvent, drift: number, receivedAt: number): string {
  const kept: string[] = [];
  let length = 0;
  for (const crumb of event.breadcrumbs.toReversed()) {
    const json = JSON.stringify({ ...crumb, time: clampTime(crumb.time, drift, receivedAt) });
    length += json.length;
    if (length > breadcrumbsJsonLimit) break;
    kept.push(json);
  }
  return `[${kept.toReversed().join(',')}]`;
}

function toRow(
  event: ReceivedEvent,
  eventId: string,
  from: { readonly header: JsonRecord; readonly receivedAt: number; readonly sender: Sender },
): Insertable<ReportTable> {
  const drift = measureDrift(from.header, from.receivedAt);
  const frames = resolveBrowserFrames(event.frames, process.cwd());
  const { name, message } = event;
  return {
    event_id: eventId,
    digest: event.digest ?? null,
    side: 'browser',
    fingerprint: computeFingerprint({ name, message, frames: nameFramesBySource(frames) }),
    time: clampTime(event.time, drift, from.receivedAt),
    received_at: from.receivedAt,
    name,
    message,
    path: event.path,
    frames_json: JSON.stringify(frames),
    component_stack: event.componentStack ? resolveComponentStack(event.componentStack, process.cwd()) : null,
    user_agent: event.userAgent ?? asText(from.sender.userAgent, 512) ?? null,
    release: event.release ?? null,
    trace_id: event.traceId ?? null,
    breadcrumbs_json: formatBreadcrumbs(event, drift, from.receivedAt),
  };
}

/** The one event that an envelope may hold, as Relay has it; or why it is not kept. */
function readEventItem(
  item: EnvelopeItem,
  budget: JsonBudget,
): { event: ReceivedEvent; id: string | undefined } | Outcome {
  if (item.payload.length > eventBytesLimit || !isWithin(budget, item.payload)) return countItem('event', 'too_large');
  const payload = asRecord(parseJson(new TextDecoder().decode(item.payload)));
  const event = payload && readEvent(payload);
  return event ? { event, id: readEventId(payload['event_id']) } : countItem('event', 'malformed');
}

function isForUs(dsn: unknown): boolean {
  if (dsn === undefined) return true;
  const given = typeof dsn === 'string' ? parseDsn(dsn)?.normal : undefined;
  return given !== undefined && [parseDsn(localDsn)?.normal, readConfiguredDsn()?.normal].includes(given);
}

/**
 * Keeps what an envelope reports. Anyone can send one, so all of it is a claim.
 * @throws the database's error when the rows could not be written
 */
export async function ingestEnvelope(bytes: Uint8Array, sender: Sender = {}): Promise<IngestResult> {
  const receivedAt = Date.now();
  const budget = createJsonBudget();
  const envelope = parseEnvelope(bytes, budget);
  if (envelope.status === 'malformed') return { status: 'refused', httpStatus: 400, detail: envelope.detail };
  if (!isForUs(envelope.header['dsn'])) return { status: 'refused', httpStatus: 403, detail: 'dsn is not ours' };

  const outcomes: Outcome[] = Array.from({ length: envelope.malformedItems }, () => countItem('unknown', 'malformed'));
  let row: Insertable<ReportTable> | undefined;
  for (const item of envelope.items) {
    if (item.type === 'client_report') outcomes.push(...readClientReport(item.payload, budget));
    else if (item.type !== 'event') outcomes.push(countItem(item.type, 'not_kept'));
    else if (row) outcomes.push(countItem('event', 'excess'));
    else {
      const read = readEventItem(item, budget);
      if ('event' in read) {
        const id = readEventId(envelope.header['event_id']) ?? read.id ?? createEventId();
        row = toRow(read.event, id, { header: envelope.header, receivedAt, sender });
      } else outcomes.push(read);
    }
  }

  const report = row;
  if (!report && outcomes.length === 0) return { status: 'stored', eventIds: [] };
  const { commit } = await openStore();
  const result = await commit(async (trx) => {
    // An SDK that got no answer sends the same event again.
    if (report) {
      const insert = trx.insertInto('report').values(report);
      await insert.onConflict((conflict) => conflict.column('event_id').doNothing()).execute();
    }
    await addOutcomes(trx, outcomes, receivedAt);
  });
  if (result === 'queue-full') return { status: 'refused', httpStatus: 503, detail: 'too many reports are waiting' };
  if (result === 'no-room') return { status: 'refused', httpStatus: 503, detail: 'no room to keep reports' };
  return { status: 'stored', eventIds: report ? [report.event_id] : [] };
}
