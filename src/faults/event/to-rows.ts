import 'server-only';

import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { FrameOfError } from '#src/runtime/errors/error-to-group.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { countBytes, isTrusted } from '#src/store/event-columns.ts';
import type { NewEvent, Side } from '#src/store/schema.ts';
import type { StackFrame } from '#report/stack.ts';

import type { Understood } from '../grouping/note-row.ts';
import type { EventToKeep } from '../kept/insert-event.ts';
import { findCulprit } from './find-culprit.ts';
import { formatCauses } from './fit-frames.ts';
import { toRowKey } from '../kept/row-key.ts';
import { resolveAppFrames } from '../source-maps/resolve-app-frames.ts';
import { asText, boundText, type JsonRecord } from '../receive/untrusted-json.ts';
import { clampTime, formatDetails, formatFrames, measureDrift } from './format-row.ts';
import { type EventFrame, formatStack, mergeResolved } from './read-event-frames.ts';
import type { ReceivedEvent } from './read-event.ts';
import type { EventCause } from './read-exceptions.ts';
import { toUserKey } from './user-key.ts';

/** An SDK's event as a row: an untrusted error when a browser's key came with it. */

/** Its scripts are named by their paths: `    at c (/assets/index.js:1:2)`. */
const componentLine = /^(\s*at )([^\n]{0,256}?) ?\((\/[^\s()]+):(\d{1,9}):(\d{1,9})\)$/;
/** As of a stack of calls. Further out is the app's frame, which every page shares. */
const linesResolved = 50;

type Line = { readonly text: string; readonly start: string; readonly frame: StackFrame | undefined };

function readLine(text: string): Line {
  const [, start = '', fn = '', file, line, column] = componentLine.exec(text) ?? [];
  if (file === undefined) return { text, start, frame: undefined };
  return { text, start, frame: { fn, file, line: Math.max(1, Number(line)), column: Math.max(1, Number(column)) } };
}

/** React's component stack, with each script's path and position replaced by the place in the source. Never throws. */
async function resolveComponentStack(app: string, release: string, stack: string): Promise<string> {
  const lines = stack.split('\n').map(readLine);
  const asked = lines.flatMap(({ frame }) => frame ?? []).slice(0, linesResolved);
  if (asked.length === 0) return stack;
  const resolved = await resolveAppFrames(app, release, asked);
  const found = new Map(asked.map((frame, index) => [frame, resolved[index]]));
  return lines
    .map(({ text, start, frame }) => {
      const place = frame && found.get(frame);
      if (place?.source === undefined) return text;
      return `${start}${place.fn || frame?.fn} (${place.source}:${place.line}:${place.column})`;
    })
    .join('\n');
}

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

type ResolvedCause = Omit<EventCause, 'frames'> & { readonly frames: readonly SourceFrame[] };
type Resolved = Understood & { readonly causes: readonly ResolvedCause[]; readonly componentStack: string | null };

async function resolveFrames(event: ReceivedEvent, app: string, frames: readonly EventFrame[]) {
  const given = frames.map(({ fn, file, line, column, debugId }) => {
    const place = { fn, file, line, column };
    return debugId === undefined ? place : { ...place, debugId };
  });
  return mergeResolved(frames, await resolveAppFrames(app, event.release ?? '', given));
}

/** What is no part of a stored frame, and tells how to read it. */
function markAddresses(given: readonly EventFrame[], frames: readonly SourceFrame[]): readonly FrameOfError[] {
  return frames.map((frame, index) => (given[index]?.isAddress ? { ...frame, isAddress: true } : frame));
}

async function understand(event: ReceivedEvent, app: string): Promise<Resolved> {
  const [frames, componentStack, ...causes] = await Promise.all([
    resolveFrames(event, app, event.frames),
    event.componentStack === undefined ? null : resolveComponentStack(app, event.release ?? '', event.componentStack),
    ...event.causes.map(async (cause) => ({
      ...cause,
      frames: await resolveFrames(event, app, cause.frames),
    })),
  ]);
  const grouping = computeGrouping({
    name: event.name,
    message: event.message,
    template: event.template,
    frames: markAddresses(event.frames, frames),
    culprit: findCulprit(event),
    isSynthetic: event.isSynthetic,
    causes: causes.map((cause, index) => ({
      ...cause,
      frames: markAddresses(event.causes[index]?.frames ?? [], cause.frames),
    })),
    ...(event.fingerprint ? { given: event.fingerprint } : {}),
  });
  return { grouping, frames, causes, componentStack: componentStack && boundText(componentStack, componentStackLimit) };
}

/** Of a server's error, where in the app it happened. An untrusted error does not say it, and its text is in its frames. */
function toPlace({ name, message, frames, framework, runtime, route, method, phase, kind }: ReceivedEvent) {
  const title = `${name}: ${message.slice(0, stackTitleLength)}`;
  const stack = frames.length === 0 ? '' : formatStack(title, frames, stackLimit);
  return { framework, runtime, route, phase, kind, method, stack };
}

/** @param eventId 32 hex digits */
export async function toEvent(
  event: ReceivedEvent,
  eventId: string,
  side: Side,
  { app, header, receivedAt, userAgent }: ReceivedAt,
): Promise<EventToKeep> {
  const { grouping, frames, causes, componentStack } = await understand(event, app);
  const drift = measureDrift(header, receivedAt);
  const framesJson = formatFrames(frames);
  const { name, message, path, level, said, user } = event;
  const row = {
    id: toRowKey(app, eventId),
    side,
    app,
    name,
    message,
    path,
    level,
    ...said,
    digest: event.digest ?? null,
    fingerprint: grouping.fingerprint,
    time: clampTime(event.time, drift, receivedAt),
    received_at: receivedAt,
    release: event.release ?? '',
    trace_id: event.traceId ?? '',
    frames_json: framesJson,
    component_stack: componentStack,
    user_key: user === undefined ? null : toUserKey(app, user),
    causes_json: formatCauses(causes, framesJson),
    ...formatDetails(event, drift, receivedAt),
    ...(isTrusted(side) ? toPlace(event) : { user_agent: event.userAgent ?? asText(userAgent, 512) ?? '' }),
  } satisfies NewEvent;
  return { grouping, frames, row: { ...row, bytes: countBytes(row) } };
}
