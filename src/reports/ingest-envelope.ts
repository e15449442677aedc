import 'server-only';

import { randomUUID } from 'node:crypto';

import type { Insertable, Transaction } from 'kysely';

import { computeGrouping, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';
import { openStore } from '#src/store/open-store.ts';
import type { ReportTable, Tables } from '#src/store/schema.ts';

import { nameFramesBySource, resolveBrowserFrames, resolveComponentStack } from './client-maps.ts';
import { type EnvelopeItem, parseEnvelope } from './envelope.ts';
import { countBytes } from './count-bytes.ts';
import { noteReportRow } from './faults/note-row.ts';
import { addOutcomes, countItem, type Outcome, readClientReport } from './outcomes.ts';
import { parseDsn } from '#src/environment/parse-dsn.ts';
import { readSetting } from '#src/environment/read-setting.ts';
import { type ReceivedEvent, readEvent } from './read-event.ts';
import { makeRoomForReport } from './report-budget.ts';
import { ageLimitMs } from './retention.ts';
import {
  asRecord,
  asText,
  boundText,
  createJsonBudget,
  isWithin,
  type JsonBudget,
  type JsonRecord,
  parseJson,
} from './untrusted-json.ts';

/**
 * Turns an envelope into rows. It keeps events with an exception or a message, and adds up client reports. Everything
 * else is counted and dropped. The rows are committed, with the log flushed to disk, before the promise resolves: after
 * `stored`, the caller may forget the envelope.
 */
export type IngestResult =
  | { readonly status: 'stored'; readonly eventIds: readonly string[] }
  | { readonly status: 'refused'; readonly httpStatus: 400 | 403 | 503; readonly detail: string };

/** What is known of the sender apart from the envelope. */
export type Sender = { readonly userAgent?: string | undefined };

/** Relay's limit for one event. */
const eventBytesLimit = 1024 * 1024;
/**
 * In bytes. 100 breadcrumbs are some 20 KiB. With all their details at the limit they would be a megabyte in every row.
 */
const breadcrumbsJsonLimit = 64 * 1024;
/** In bytes. 50 frames are some 8 KiB, the source lines of five of them 4 KiB. */
const framesJsonLimit = 48 * 1024;
/** A frame with eleven lines of our own source has 2 KiB. Lines of a minified file can have any length. */
const frameJsonLimit = 4 * 1024;
/** Twice what is read of it: the paths of our sources are longer than those of the scripts they replace. */
const componentStackLimit = 16 * 1024;
/**
 * A report leaves as soon as it is made. So a larger difference between its `sent_at` and our clock means that the
 * sender's clock is wrong, and the difference is subtracted from its times. A smaller difference may be a slow
 * connection.
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

/** How far the sender's clock is behind ours, when that is worth correcting. */
function measureDrift(header: JsonRecord, receivedAt: number): number {
  const sentAt = Date.parse(asText(header['sent_at'], 64) ?? '');
  const drift = receivedAt - sentAt;
  return Math.abs(drift) > clockDriftMs ? drift : 0;
}

/** A time that no clock can have is replaced by the time of arrival. */
function clampTime(time: number | undefined, drift: number, receivedAt: number): number {
  if (time === undefined) return receivedAt;
  const corrected = time + drift;
  return corrected < receivedAt - ageLimitMs ? receivedAt : Math.min(corrected, receivedAt);
}

/** The first of `items`, as many as fit into `limit` bytes with their commas. */
function keepFirst(items: Iterable<string>, limit: number): string[] {
  const kept: string[] = [];
  let bytes = '[]'.length;
  for (const json of items) {
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > limit) break;
    kept.push(json);
  }
  return kept;
}

/** Keeps the newest when there are too many. */
function formatBreadcrumbs(event: ReceivedEvent, drift: number, receivedAt: number): string {
  const items = event.breadcrumbs
    .toReversed()
    .map((crumb) => JSON.stringify({ ...crumb, time: clampTime(crumb.time, drift, receivedAt) }));
  return `[${keepFirst(items, breadcrumbsJsonLimit).toReversed().join(',')}]`;
}

/** Keeps the innermost when there are too many. */
function formatFrames(frames: readonly SourceFrame[]): string {
  const items = frames.map((frame) => {
    const json = JSON.stringify(frame);
    const { context: _, ...plain } = frame;
    return Buffer.byteLength(json) > frameJsonLimit ? JSON.stringify(plain) : json;
  });
  return `[${keepFirst(items, framesJsonLimit).join(',')}]`;
}

type ReportRow = Insertable<ReportTable> & { readonly bytes: number };

type Report = { readonly row: ReportRow; readonly grouping: Grouping; readonly frames: readonly SourceFrame[] };

/** See `ReportTable.bytes`: the bytes of all texts whose length the sender decides. */
function withBytes(row: Insertable<ReportTable>): ReportRow {
  const { name, message, path, frames_json, component_stack, user_agent, release, breadcrumbs_json } = row;
  const texts = [name, message, path, frames_json, component_stack, user_agent, release, breadcrumbs_json];
  return { ...row, bytes: countBytes(texts) };
}

function toRow(
  event: ReceivedEvent,
  eventId: string,
  from: { readonly header: JsonRecord; readonly receivedAt: number; readonly sender: Sender },
): Report {
  const drift = measureDrift(from.header, from.receivedAt);
  const frames = resolveBrowserFrames(event.frames, process.cwd());
  const { name, message } = event;
  const componentStack = event.componentStack && resolveComponentStack(event.componentStack, process.cwd());
  const grouping = computeGrouping({ name, message, frames: nameFramesBySource(frames) });
  const row = withBytes({
    event_id: eventId,
    digest: event.digest ?? null,
    side: 'browser',
    fingerprint: grouping.fingerprint,
    time: clampTime(event.time, drift, from.receivedAt),
    received_at: from.receivedAt,
    name,
    message,
    path: event.path,
    frames_json: formatFrames(frames),
    component_stack: componentStack ? boundText(componentStack, componentStackLimit) : null,
    user_agent: event.userAgent ?? asText(from.sender.userAgent, 512) ?? null,
    release: event.release ?? null,
    trace_id: event.traceId ?? null,
    breadcrumbs_json: formatBreadcrumbs(event, drift, from.receivedAt),
  });
  return { row, grouping, frames };
}

/** The one event that an envelope may hold (Relay's rule), or the reason why it is not kept. */
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
  return given !== undefined && [parseDsn(localDsn)?.normal, readSetting('SENTRY_DSN')?.normal].includes(given);
}

/** An SDK that got no answer sends the same event again: that is no second occurrence. */
async function insertReport(trx: Transaction<Tables>, { row, grouping, frames }: Report): Promise<void> {
  const known = trx.selectFrom('report').select('event_id').where('event_id', '=', row.event_id);
  if (await known.executeTakeFirst()) return;
  const { columns } = await noteReportRow(trx, row, { grouping, frames });
  await trx
    .insertInto('report')
    .values({ ...row, ...columns })
    .execute();
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
  let report: Report | undefined;
  for (const item of envelope.items) {
    if (item.type === 'client_report') outcomes.push(...readClientReport(item.payload, budget));
    else if (item.type !== 'event') outcomes.push(countItem(item.type, 'not_kept'));
    else if (report) outcomes.push(countItem('event', 'excess'));
    else {
      const read = readEventItem(item, budget);
      if ('event' in read) {
        const id = readEventId(envelope.header['event_id']) ?? read.id ?? createEventId();
        report = toRow(read.event, id, { header: envelope.header, receivedAt, sender });
      } else outcomes.push(read);
    }
  }

  if (!report && outcomes.length === 0) return { status: 'stored', eventIds: [] };
  const store = await openStore();
  let hasRoom = true;
  const result = await store.commit(async (trx) => {
    hasRoom = !report || (await makeRoomForReport(trx, store, report.row.bytes));
    if (report && hasRoom) await insertReport(trx, report);
    await addOutcomes(trx, outcomes, receivedAt);
  }, 'report');
  if (result === 'queue-full') return { status: 'refused', httpStatus: 503, detail: 'too many reports are waiting' };
  if (result === 'no-room') hasRoom = false;
  if (!hasRoom) return { status: 'refused', httpStatus: 503, detail: 'no room to keep reports' };
  return { status: 'stored', eventIds: report ? [report.row.event_id] : [] };
}
