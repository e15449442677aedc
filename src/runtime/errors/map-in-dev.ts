import 'server-only';

import { findSourceMap } from 'node:module';

import { generatedPositionFor, originalPositionFor, TraceMap, traceSegment } from '@jridgewell/trace-mapping';

import type { StackFrame } from './stack.ts';

/**
 * Vite's module runner names a module after its source, and gives the map to Node. V8 writes the text of a stack when it is first
 * read: Node's translation is in it then, except where React was the first to read, because React reads stacks in its own way. So
 * the same file name stands beside lines of the source or beside lines of the module as it runs, and nothing in the text says
 * which. Translating twice gives a wrong line under the right name.
 *
 * The map says it: a translated place is one that the map has of the source, and any other is one that it has of the module. A few
 * places are both, by chance, so all frames of a stack are asked: it was written at once, as a whole. Where they do not tell, it is
 * taken for translated, because `rememberCause` reads the stacks before React does.
 */
type Place = Pick<StackFrame, 'line' | 'column'>;

function readMap(file: string): TraceMap | undefined {
  const payload = findSourceMap(file)?.payload;
  try {
    return payload && new TraceMap({ ...payload, version: 3 });
  } catch {
    // A plugin's map that is none. The frame stays as it is.
    return undefined;
  }
}

/** Where the source of `map` has what runs at `place`. */
function findOriginal(map: TraceMap, { line, column }: Place): Place | undefined {
  const found = originalPositionFor(map, { line, column: column - 1 });
  return found.line === null ? undefined : { line: found.line, column: found.column + 1 };
}

/** Whether something in the module was made of exactly this place of the source. */
function isOriginal(map: TraceMap, { line, column }: Place): boolean {
  return map.sources.some((source) => {
    if (source === null) return false;
    const generated = generatedPositionFor(map, { source, line, column: column - 1 });
    if (generated.line === null) return false;
    const back = findOriginal(map, { line: generated.line, column: generated.column + 1 });
    return back?.line === line && back.column === column;
  });
}

/** Whether something of the module as it runs begins exactly here. */
function isGenerated(map: TraceMap, { line, column }: Place): boolean {
  return traceSegment(map, line - 1, column - 1)?.[0] === column - 1;
}

/**
 * The frames of a stack at their places in the sources.
 * @param toPath the path of a frame's file; undefined when it is not a file
 */
export function mapInDev(
  frames: readonly StackFrame[],
  toPath: (file: string) => string | undefined,
): readonly StackFrame[] {
  const maps = new Map<string, TraceMap | undefined>();
  for (const { file } of frames) {
    const path = toPath(file);
    if (path !== undefined && !maps.has(file)) maps.set(file, readMap(path));
  }
  const votes = frames.map((frame) => {
    const map = maps.get(frame.file);
    return map ? Number(isGenerated(map, frame)) - Number(isOriginal(map, frame)) : 0;
  });
  if (votes.reduce((sum, vote) => sum + vote, 0) <= 0) return frames;
  return frames.map((frame) => {
    const map = maps.get(frame.file);
    return { ...frame, ...(map && findOriginal(map, frame)) };
  });
}
