import 'server-only';

import { findSourceMap } from 'node:module';

import { visitSegments } from '#report/source-map/scan-mappings.ts';
import { createSourceMap, type SourceMap } from '#report/source-map/source-map.ts';
import type { StackFrame } from '#report/stack.ts';

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

const nameOf = ({ line, column }: Place): string => `${line}:${column}`;

type Known = {
  readonly map: SourceMap;
  /** Places of the module as it runs at which something begins. */
  readonly generated: ReadonlySet<string>;
  /** Places of the sources of which something in the module was made. */
  readonly originals: ReadonlySet<string>;
};

/** Undefined where the module has no map, or a plugin's that is none. The frame stays as it is. */
function readMap(file: string): Known | undefined {
  const map = createSourceMap(findSourceMap(file)?.payload);
  if (!map) return undefined;
  const generated = new Set<string>();
  const originals = new Set<string>();
  for (const { mappings, line: firstLine, column: firstColumn } of map.parts) {
    let line = 0;
    function note([column = 0, , sourceLine = 0, sourceColumn = 0]: Int32Array, count: number): void {
      const from = line === 0 ? firstColumn : 0;
      generated.add(nameOf({ line: firstLine + line + 1, column: from + column + 1 }));
      if (count > 3) originals.add(nameOf({ line: sourceLine + 1, column: sourceColumn + 1 }));
    }
    try {
      visitSegments(mappings, Infinity, note, () => (line += 1));
    } catch {
      return undefined;
    }
  }
  return { map, generated, originals };
}

/**
 * The frames of a stack at their places in the sources.
 * @param toPath the path of a frame's file; undefined when it is not a file
 */
export function mapInDev(
  frames: readonly StackFrame[],
  toPath: (file: string) => string | undefined,
): readonly StackFrame[] {
  const maps = new Map<string, Known | undefined>();
  for (const { file } of frames) {
    const path = toPath(file);
    if (path !== undefined && !maps.has(file)) maps.set(file, readMap(path));
  }
  const votes = frames.map((frame) => {
    const known = maps.get(frame.file);
    return known ? Number(known.generated.has(nameOf(frame))) - Number(known.originals.has(nameOf(frame))) : 0;
  });
  if (votes.reduce((sum, vote) => sum + vote, 0) <= 0) return frames;
  return frames.map((frame) => {
    const place = maps.get(frame.file)?.map.find(frame);
    return place ? { ...frame, line: place.line, column: place.column } : frame;
  });
}
