import 'server-only';

import { cutBreadcrumb } from '#report/breadcrumb.ts';
import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { countBytes } from '#src/store/event-columns.ts';
import type { NewEvent } from '#src/store/schema.ts';

import type { EventToKeep } from '../kept/insert-event.ts';
import { fitFrames, formatCauses, framesJsonLimit } from '../event/fit-frames.ts';
import { ageLimitMs } from '../kept/retention.ts';
import { toRowKey } from '../kept/row-key.ts';
import { scrubRoute, scrubSecrets } from '../scrubbing/scrub.ts';
import { createTextBudget, type TextBudget } from '../receive/text-budget.ts';
import { formatServerBreadcrumbs } from '../event/server-breadcrumbs.ts';
import { boundText } from '../receive/untrusted-json.ts';
import type { ReceivedAppError } from './read-app-errors.ts';

/**
 * An error of another app as a row, bounded and without secrets. Its texts are scrubbed like those of our own errors: addresses
 * and names stay, because they are often the cause. A source line may hold a key.
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
const causesKept = 5;
/** What the rest of a row leaves of its 150 KiB. */
const rowLimit = 140 * 1024;
const breadcrumbsLimit = 32 * 1024;
const linesKept = 15;

function toFrame(frame: NonNullable<ReceivedAppError['frames']>[number], budget: TextBudget): SourceFrame {
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
            lines: context.lines.slice(0, linesKept).map((line) => budget.scrub(line, limits.line)),
          },
        }
      : {}),
  };
}

function toFrames(frames: ReceivedAppError['frames'], budget: TextBudget): readonly SourceFrame[] {
  return (frames ?? []).slice(0, framesKept).map((frame) => toFrame(frame, budget));
}

function clampTime(time: number, receivedAt: number): number {
  return time > receivedAt || time < receivedAt - ageLimitMs ? receivedAt : time;
}

function readTraceId(value: string | null | undefined): string {
  const plain = (value ?? '').toLowerCase();
  return /^[\da-f]{32}$/.test(plain) ? plain : '';
}

/** @param isPattern the route is one that a framework named: a number in it is no value */
export function toErrorRow(app: string, error: ReceivedAppError, receivedAt: number, isPattern = false): EventToKeep {
  const budget = createTextBudget(scrubSecrets);
  const { request } = error;
  const name = budget.scrub(error.name, limits.name);
  const message = budget.scrub(error.message, limits.message);
  const stack = budget.scrub(error.stack ?? '', limits.stack);
  const frames = toFrames(error.frames, budget);
  const framesJson = JSON.stringify(fitFrames(frames, framesJsonLimit));
  const causes = (error.causes ?? []).slice(0, causesKept).map((cause) => ({
    name: budget.scrub(cause.name, limits.name),
    message: budget.scrub(cause.message, limits.message),
    stack: budget.scrub(cause.stack, limits.causeStack),
    frames: toFrames(cause.frames, budget),
  }));
  const component = error.componentStack ? budget.scrub(error.componentStack, limits.componentStack) : null;
  const route = boundText(scrubRoute(error.route ?? ''), limits.path);
  const path = request?.path ? budget.scrubPath(request.path, limits.path) : '';
  const grouping = computeGrouping({
    name,
    message,
    frames,
    causes,
    culprit: route,
    isPattern,
  });
  const row = {
    id: toRowKey(app, error.id),
    side: 'server',
    digest: error.digest ?? null,
    app,
    framework: boundText(error.framework ?? '', limits.word),
    route,
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
    causes_json: formatCauses(causes, framesJson),
    breadcrumbs_json: '[]',
  } as const satisfies NewEvent;
  const room = Math.max(0, Math.min(breadcrumbsLimit, rowLimit - countBytes(row)));
  const breadcrumbs = formatServerBreadcrumbs(
    (error.breadcrumbs ?? []).map(({ data, ...crumb }) =>
      cutBreadcrumb(
        { ...crumb, time: Math.max(0, Math.min(crumb.time, receivedAt)), data: data ?? undefined },
        boundText,
      ),
    ),
    room,
  );
  const whole = { ...row, breadcrumbs_json: breadcrumbs };
  return { row: { ...whole, bytes: countBytes(whole) }, grouping, frames };
}
