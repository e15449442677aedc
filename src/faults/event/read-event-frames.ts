import 'server-only';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import type { FrameToResolve } from '../source-maps/resolve-app-frames.ts';
import type { TextBudget } from '../receive/text-budget.ts';
import { asInteger, asList, asRecord, asText, boundText, type JsonRecord } from '../receive/untrusted-json.ts';
import { readValues } from './event-values.ts';

/**
 * Frames of an event. Scripts are built: their files and lines mean something only with a source map. Elsewhere a frame names
 * its source itself.
 */
export type EventFrame = FrameToResolve &
  Pick<SourceFrame, 'source' | 'context'> & {
    readonly isLibrary: boolean;
    /** Its file was named by an address. What is kept of that is the path. */
    readonly isAddress?: boolean;
  };

/** Bytes in the stored row. */
const limits = { fn: 256, file: 1_024, line: 400 } as const;
/** As many as the runtime keeps of its own stacks. */
const framesKept = 50;
const framesWithContext = 5;
const contextLinesEachSide = 5;

export type FrameReader = (stacktrace: unknown) => readonly EventFrame[];

/** Which file has which source map, as the SDK's own snippet knows it. */
function readDebugIds(event: JsonRecord): ReadonlyMap<string, string> {
  const images = asList(asRecord(event['debug_meta'])?.['images']) ?? [];
  return new Map(
    images.slice(0, 200).flatMap((value): [string, string][] => {
      const image = asRecord(value);
      const [file, id] = [image?.['code_file'], image?.['debug_id']];
      return typeof file === 'string' && typeof id === 'string' && /^[\da-fA-F-]{32,36}$/.test(id) ? [[file, id]] : [];
    }),
  );
}

function isScript(event: JsonRecord, frame: JsonRecord): boolean {
  const platform = frame['platform'] ?? event['platform'];
  return platform === undefined || platform === 'javascript' || platform === 'node';
}

function readFile(name: string, budget: TextBudget): string {
  return /^https?:/.test(name) ? budget.scrubPath(name, limits.file) : budget.scrub(name, limits.file);
}

/** A line of source may hold a key, or an address that somebody tested with. */
function readContext(frame: JsonRecord, line: number, budget: TextBudget): SourceFrame['context'] {
  const own = asText(frame['context_line'], limits.line);
  if (own === undefined) return undefined;
  const shownBefore = Math.min(contextLinesEachSide, line - 1 || contextLinesEachSide);
  const before = (asList(frame['pre_context']) ?? []).slice(-shownBefore);
  const after = (asList(frame['post_context']) ?? []).slice(0, contextLinesEachSide);
  return {
    firstLine: Math.max(1, line - before.length),
    lines: [...before, own, ...after].map((text) => budget.scrub(asText(text, limits.line) ?? '', limits.line)),
  };
}

/** Java names a class and its file, native code a library. */
function findSource(frame: JsonRecord, file: string | undefined): string | undefined {
  const named = asText(frame['module'], limits.file) || asText(frame['package'], limits.file) || undefined;
  return file ?? named;
}

function readFrame(event: JsonRecord, frame: JsonRecord, from: Sources): EventFrame {
  const fn = asText(frame['function'], limits.fn) ?? '';
  const path = asText(frame['abs_path'], limits.file) || undefined;
  const name = asText(frame['filename'], limits.file) || undefined;
  const source = isScript(event, frame) ? undefined : findSource(frame, name ?? path);
  const debugId = from.debugIds.get(path ?? '') ?? from.debugIds.get(name ?? '');
  return {
    fn: fn === '?' ? '' : from.budget.scrub(fn, limits.fn),
    file: readFile(path ?? name ?? source ?? '', from.budget),
    line: Math.max(1, asInteger(frame['lineno']) ?? 1),
    column: Math.max(1, asInteger(frame['colno']) ?? 1),
    // Where an SDK marks the app's own frames, the others are not.
    ...(/^https?:/.test(path ?? name ?? '') ? { isAddress: true } : {}),
    isLibrary: frame['in_app'] === false || (from.isMarked && frame['in_app'] !== true),
    ...(source === undefined ? {} : { source: from.budget.scrub(source, limits.file) }),
    ...(debugId === undefined ? {} : { debugId }),
  };
}

type Sources = {
  readonly budget: TextBudget;
  readonly debugIds: ReadonlyMap<string, string>;
  /** Some frame of the stack says that it is the app's own. */
  readonly isMarked: boolean;
};

/** @returns reads a `stacktrace`: frames innermost first, the first few of the app's own with source lines */
export function createFrameReader(event: JsonRecord, budget: TextBudget): FrameReader {
  const debugIds = readDebugIds(event);
  return function readFrames(stacktrace) {
    let withContext = 0;
    const frames = readValues(asRecord(stacktrace)?.['frames']);
    const from = { budget, debugIds, isMarked: frames.some((frame) => frame['in_app'] === true) };
    return frames
      .slice(-framesKept)
      .toReversed()
      .map((given) => {
        const frame = readFrame(event, given, from);
        const context =
          frame.isLibrary || withContext >= framesWithContext ? undefined : readContext(given, frame.line, budget);
        if (!context) return frame;
        withContext += 1;
        return { ...frame, context };
      });
  };
}

/** One line of a stack, as V8 writes it. */
function formatFrame({ fn, file, line, column }: EventFrame): string {
  return fn === '' ? `    at ${file}:${line}:${column}` : `    at ${fn} (${file}:${line}:${column})`;
}

/** The stack as text, before source maps. */
export function formatStack(title: string, frames: readonly EventFrame[], limit: number): string {
  return boundText([title, ...frames.map(formatFrame)].join('\n'), limit);
}

/** Together with what the source maps say. What an SDK calls a library is none of the app's own code. */
export function mergeResolved(given: readonly EventFrame[], resolved: readonly SourceFrame[]): SourceFrame[] {
  return resolved.map((frame, index) => {
    const { isLibrary = false, source, context } = given[index] ?? {};
    if (frame.source !== undefined) return frame;
    return {
      ...frame,
      inApp: !isLibrary && (frame.inApp || source !== undefined),
      ...(source === undefined ? {} : { source }),
      ...(context === undefined ? {} : { context }),
    };
  });
}
