import 'server-only';

import type { Insertable } from 'kysely';

import { computeGrouping, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import type { ErrorTable } from '#src/store/schema.ts';

import { countBytes } from '../count-bytes.ts';
import { ageLimitMs } from '../retention.ts';
import { toRowKey } from '../row-key.ts';
import { scrubSecrets } from '../scrub.ts';
import { createTextBudget } from '../text-budget.ts';
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
} as const;
const framesKept = 50;
const framesJsonLimit = 48 * 1024;
const causesKept = 5;
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

/** The innermost stay; source lines go first when there is too much. */
function formatFrames(frames: readonly SourceFrame[]): string {
  const whole = JSON.stringify(frames);
  if (Buffer.byteLength(whole) <= framesJsonLimit) return whole;
  const kept: string[] = [];
  let bytes = 2;
  for (const frame of frames) {
    const { context: _, ...plain } = frame;
    const json = JSON.stringify(plain);
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > framesJsonLimit) break;
    kept.push(json);
  }
  return `[${kept.join(',')}]`;
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
  const frames = (error.frames ?? []).slice(0, framesKept).map(toFrame);
  const causes = (error.causes ?? []).slice(0, causesKept).map((cause) => ({
    name: budget.scrub(cause.name, limits.name),
    message: budget.scrub(cause.message, limits.message),
    stack: budget.scrub(cause.stack, limits.causeStack),
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
    frames_json: formatFrames(frames),
    component_stack: component,
    causes_json: JSON.stringify(causes),
    breadcrumbs_json: '[]',
  } satisfies Insertable<ErrorTable>;
  const texts = [name, message, path, row.route, stack, row.frames_json, component, row.causes_json];
  return { row: { ...row, bytes: countBytes(texts) }, grouping, frames };
}
