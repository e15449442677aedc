import 'server-only';

import type { Insertable } from 'kysely';

import type { RequestBreadcrumb } from '#src/http/request-context.ts';
import { computeGrouping, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { ErrorTable } from '#src/store/schema.ts';

import { countBytes } from '../count-bytes.ts';
import { ageLimitMs } from '../retention.ts';
import { toRowKey } from '../row-key.ts';
import { scrubSecrets } from '../scrub.ts';
import { createTextBudget } from '../text-budget.ts';
import { formatServerBreadcrumbs } from '../server-breadcrumbs.ts';
import { boundText } from '../untrusted-json.ts';
import type { ReceivedAppError } from './read-app-errors.ts';

/**
 * An error of another app as a row, bounded and without secrets. Its texts are scrubbed like those of our own errors: addresses
 * and names stay, because they are often the cause. Source lines come from the app's own files and stay as they are.
 */

/** Bytes in the row. A row with all of these at their limit stays below 150 KiB, as a report's does. */
const limits = {
  name: 256,
  message: 8_192,
  stack: 16_384,
  causeStack: 4_096,
  componentStack: 8_192,
  fn: 256,
  file: 1_024,
  line: 400,
  path: 2_048,
  id: 100,
  word: 64,
  release: 200,
  breadcrumb: { category: 64, message: 512, name: 64, value: 512 },
} as const;
const framesKept = 50;
/** Of an error and its causes together. */
const framesJsonLimit = 48 * 1024;
const causesKept = 5;
/** What the rest of a row leaves of its 150 KiB. */
const rowLimit = 140 * 1024;
const breadcrumbsLimit = 32 * 1024;
const linesKept = 15;

function toFrame(frame: NonNullable<ReceivedAppError['frames']>[number]): SourceFrame {
  const { context, source } = frame;
  return {
    fn: boundText(frame.fn, limits.fn),
    file: boundText(frame.file, limits.file),
    line: Math.max(1, frame.line),
    column: Math.max(1, frame.column),
    inApp: frame.inApp,
    ...(source ? { source: boundText(source, limits.file) } : {}),
    ...(context
      ? {
          context: {
            firstLine: Math.max(1, context.firstLine),
            lines: context.lines.slice(0, linesKept).map((line) => boundText(line, limits.line)),
          },
        }
      : {}),
  };
}

function countJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The innermost stay; source lines go first when there is too much. */
function fitFrames(frames: readonly SourceFrame[], room: number): readonly SourceFrame[] {
  if (countJson(frames) <= room) return frames;
  const kept: SourceFrame[] = [];
  let bytes = 2;
  for (const frame of frames) {
    const { context: _, ...plain } = frame;
    bytes += countJson(plain) + 1;
    if (bytes > room) break;
    kept.push(plain);
  }
  return kept;
}

function toFrames(frames: ReceivedAppError['frames']): readonly SourceFrame[] {
  return (frames ?? []).slice(0, framesKept).map(toFrame);
}

type Framed = { readonly frames: readonly SourceFrame[] };

/** The causes get the room that the frames of the error itself leave, the outermost first. */
function formatCauses(causes: readonly Framed[], room: number): string {
  let left = room;
  const fitted = causes.map((cause) => {
    const { frames, ...told } = cause;
    const kept = fitFrames(frames, left);
    if (kept.length === 0) return told;
    left -= countJson(kept);
    return { ...told, frames: kept };
  });
  return JSON.stringify(fitted);
}

/** As long as the runtime's own are. */
function toBreadcrumb({ data, ...told }: NonNullable<ReceivedAppError['breadcrumbs']>[number]): RequestBreadcrumb {
  const { category, message, name, value: longest } = limits.breadcrumb;
  const facts = Object.entries(data ?? {}).map(([key, value]) => {
    return [boundText(key, name), typeof value === 'string' ? boundText(value, longest) : value] as const;
  });
  return {
    ...told,
    category: boundText(told.category, category),
    message: boundText(told.message, message),
    ...(facts.length > 0 ? { data: Object.fromEntries(facts) } : {}),
  };
}

function clampTime(time: number, receivedAt: number): number {
  return time > receivedAt || time < receivedAt - ageLimitMs ? receivedAt : time;
}

function readTraceId(value: string | null | undefined): string {
  const plain = (value ?? '').toLowerCase();
  return /^[\da-f]{32}$/.test(plain) ? plain : '';
}

export type AppErrorRow = {
  readonly row: Insertable<ErrorTable>;
  readonly grouping: Grouping;
  readonly frames: readonly SourceFrame[];
};

export function toErrorRow(app: string, error: ReceivedAppError, receivedAt: number): AppErrorRow {
  const budget = createTextBudget(scrubSecrets);
  const { request } = error;
  const name = budget.scrub(error.name, limits.name);
  const message = budget.scrub(error.message, limits.message);
  const stack = budget.scrub(error.stack ?? '', limits.stack);
  const frames = toFrames(error.frames);
  const framesJson = JSON.stringify(fitFrames(frames, framesJsonLimit));
  const causes = (error.causes ?? []).slice(0, causesKept).map((cause) => ({
    name: budget.scrub(cause.name, limits.name),
    message: budget.scrub(cause.message, limits.message),
    stack: budget.scrub(cause.stack, limits.causeStack),
    frames: toFrames(cause.frames),
  }));
  const component = error.componentStack ? budget.scrub(error.componentStack, limits.componentStack) : null;
  const path = request?.path ? budget.scrubPath(request.path, limits.path) : '';
  const grouping = computeGrouping({
    name,
    message,
    frames,
    causes,
    culprit: boundText(error.route ?? '', limits.path),
  });
  const row = {
    id: toRowKey(app, error.id),
    digest: error.digest ?? null,
    app,
    framework: boundText(error.framework ?? '', limits.word),
    route: boundText(error.route ?? '', limits.path),
    runtime: boundText(error.runtime ?? '', limits.word),
    fingerprint: grouping.fingerprint,
    time: clampTime(error.time, receivedAt),
    received_at: receivedAt,
    phase: error.phase ?? 'unknown',
    kind: error.kind ?? 'unknown',
    method: /^[A-Z]{1,10}$/.exec(request?.method ?? '')?.[0] ?? '',
    path,
    request_id: boundText(request?.id ?? '', limits.id),
    trace_id: readTraceId(request?.traceId),
    release: boundText(error.release ?? '', limits.release),
    name,
    message,
    stack,
    frames_json: framesJson,
    component_stack: component,
    causes_json: formatCauses(causes, framesJsonLimit - Buffer.byteLength(framesJson)),
    breadcrumbs_json: '[]',
  } satisfies Insertable<ErrorTable>;
  const bytes = countBytes([name, message, path, row.route, stack, row.frames_json, component, row.causes_json]);
  const room = Math.max(0, Math.min(breadcrumbsLimit, rowLimit - bytes));
  const breadcrumbs = formatServerBreadcrumbs((error.breadcrumbs ?? []).map(toBreadcrumb), room);
  const whole = { ...row, breadcrumbs_json: breadcrumbs, bytes: bytes + Buffer.byteLength(breadcrumbs) };
  return { row: whole, grouping, frames };
}
