import 'server-only';

import type { Insertable } from 'kysely';

import { computeGrouping, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { ErrorTable, ReportTable } from '#src/store/schema.ts';

import { nameFramesBySource, resolveComponentStack } from '../client-maps.ts';
import { countBytes } from '../count-bytes.ts';
import { toRowKey } from '../row-key.ts';
import { resolveAppFrames } from '../source-maps/resolve-app-frames.ts';
import { asText, boundText, type JsonRecord } from '../untrusted-json.ts';
import { clampTime, formatDetails, formatFrames, measureDrift } from './format-row.ts';
import { formatStack, mergeResolved } from './read-event-frames.ts';
import type { ReceivedEvent } from './read-event.ts';
import { toUserKey } from './user-key.ts';

/** An event as a row: of `report` when a browser's key came with it, of `error` when a server's did. */

/** Twice what is read of it: the paths of our sources are longer than those of the scripts they replace. */
const componentStackLimit = 16 * 1024;
/** In bytes. The frames are in a column of their own; this one is for reading as text. */
const stackLimit = 8 * 1024;
const stackTitleLength = 1_000;

export type ReceivedAt = {
  readonly app: string;
  readonly header: JsonRecord;
  /** By our clock. */
  readonly receivedAt: number;
  readonly userAgent?: string | undefined;
};

type Understood = { readonly grouping: Grouping; readonly frames: readonly SourceFrame[] };

export type ReportToKeep = Understood & {
  readonly type: 'report';
  readonly row: Insertable<ReportTable> & { readonly bytes: number };
};
export type ErrorToStore = Understood & {
  readonly type: 'error';
  readonly row: Insertable<ErrorTable> & { readonly bytes: number };
};

async function understand(event: ReceivedEvent, app: string): Promise<Understood> {
  const given = event.frames.map(({ isLibrary: _library, source: _source, context: _context, ...frame }) => frame);
  const resolved = await resolveAppFrames(app, event.release ?? '', given);
  const frames = mergeResolved(event.frames, resolved);
  const grouping = computeGrouping({
    name: event.name,
    message: event.message,
    frames: app === ownApp ? nameFramesBySource(frames) : frames,
    culprit: event.route || event.path,
    isSynthetic: event.isSynthetic,
    causes: event.causes,
    ...(event.fingerprint ? { given: event.fingerprint } : {}),
  });
  return { grouping, frames };
}

function formatComponentStack({ componentStack }: ReceivedEvent, app: string): string | null {
  if (componentStack === undefined) return null;
  const resolved = app === ownApp ? resolveComponentStack(componentStack, process.cwd()) : componentStack;
  return boundText(resolved, componentStackLimit);
}

/** The columns that both tables have. */
function toShared(event: ReceivedEvent, { grouping, frames }: Understood, { app, header, receivedAt }: ReceivedAt) {
  const drift = measureDrift(header, receivedAt);
  const { name, message, path, level, environment, sdk, user } = event;
  return {
    app,
    name,
    message,
    path,
    level,
    environment,
    sdk,
    digest: event.digest ?? null,
    fingerprint: grouping.fingerprint,
    time: clampTime(event.time, drift, receivedAt),
    received_at: receivedAt,
    frames_json: formatFrames(frames),
    component_stack: formatComponentStack(event, app),
    user_key: user === undefined ? null : toUserKey(app, user),
    ...formatDetails(event, drift, receivedAt),
  } satisfies Partial<Insertable<ErrorTable> & Insertable<ReportTable>>;
}

type SharedColumns = ReturnType<typeof toShared>;

/** See `ReportTable.bytes`: the bytes of all texts whose length the sender decides. */
function countShared(row: SharedColumns, others: readonly (string | null)[]): number {
  const { name, message, path, frames_json, component_stack, environment, sdk } = row;
  const details = [row.breadcrumbs_json, row.tags_json, row.extra_json, row.causes_json];
  return countBytes([name, message, path, frames_json, component_stack, environment, sdk, ...details, ...others]);
}

/** @param eventId 32 hex digits */
export async function toReport(event: ReceivedEvent, eventId: string, at: ReceivedAt): Promise<ReportToKeep> {
  const understood = await understand(event, at.app);
  const shared = toShared(event, understood, at);
  const userAgent = event.userAgent ?? asText(at.userAgent, 512) ?? null;
  const release = event.release ?? null;
  const row = {
    ...shared,
    event_id: toRowKey(at.app, eventId),
    side: 'browser',
    user_agent: userAgent,
    release,
    trace_id: event.traceId ?? null,
    bytes: countShared(shared, [userAgent, release]),
  } as const satisfies Insertable<ReportTable>;
  return { ...understood, row, type: 'report' };
}

/** @param eventId 32 hex digits */
export async function toServerError(event: ReceivedEvent, eventId: string, at: ReceivedAt): Promise<ErrorToStore> {
  const understood = await understand(event, at.app);
  const shared = toShared(event, understood, at);
  const { name, message, frames, framework, runtime, route, method, phase, kind } = event;
  const title = `${name}: ${message.slice(0, stackTitleLength)}`;
  const stack = frames.length === 0 ? '' : formatStack(title, frames, stackLimit);
  const release = event.release ?? '';
  const row = {
    ...shared,
    id: toRowKey(at.app, eventId),
    framework,
    runtime,
    route,
    phase,
    kind,
    method,
    stack,
    release,
    request_id: '',
    trace_id: event.traceId ?? '',
    bytes: countShared(shared, [stack, route, release, framework, runtime]),
  } satisfies Insertable<ErrorTable>;
  return { ...understood, row, type: 'error' };
}
