import path from 'node:path';

import { findFunctionName } from '#src/runtime/errors/function-ranges.ts';

import type { MapAnswer, MapPlace, Position, ResolvedPosition } from './messages.ts';
import { type MapPart, openMap, type OpenMap } from './open-map.ts';
import { findSegments, type Segment, type Wanted } from './scan-mappings.ts';

/** What maps say of positions. A map is a stranger's text in every part: each position is looked up by itself, and texts are cut. */

const contextLinesEachSide = 5;
/** A line that people wrote has less. A generated one may have a megabyte. */
const longestLine = 240;
const longestSource = 500;
const longestName = 200;

/** `webpack://_N_E/./src/a.ts?1f3c`, `turbopack:///[project]/src/a.ts` and `../../src/a.ts` are all `src/a.ts`. */
export function cleanSource(source: string): string {
  const plain = source
    .slice(0, longestSource)
    .replace(/\?[\da-z]*$/i, '')
    .replace(/^webpack:\/\/(?:[^/]*\/)?/, '')
    .replace(/^turbopack:\/\/(?:\/?\[project\]\/|[^/]*\/)?/, '')
    .replace(/^[a-z][\w+.-]*:\/\/\//i, '')
    .replace(/^(?:\.{0,2}\/)+/, '');
  return plain === '' ? source.slice(0, longestSource) : plain;
}

const runtimes = /(?:^|\/)(?:node_modules|webpack\/(?:bootstrap|runtime))(?:\/|$)|^(?:node:|\[turbopack\]|\(webpack\))/;

function isOwnSource(source: string): boolean {
  return !source.startsWith('..') && !runtimes.test(source);
}

function nameSource({ folder }: OpenMap, source: string): string {
  return folder === undefined ? cleanSource(source) : path.posix.join(folder, source).slice(0, longestSource);
}

function cutLine(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

function readContext(content: unknown, line: number): ResolvedPosition['context'] {
  if (typeof content !== 'string') return undefined;
  const first = Math.max(0, line - 1 - contextLinesEachSide);
  const lines = content.split('\n', line + contextLinesEachSide).slice(first);
  // A position behind the end: the content is of another version.
  return lines.length > line - 1 - first ? { firstLine: first + 1, lines: lines.map(cutLine) } : undefined;
}

/** Undefined where nothing is known of the source's functions. */
function nameFunction({ functions }: OpenMap, source: string, at: Position): string | undefined {
  const ranges = Object.hasOwn(functions, source) ? functions[source] : undefined;
  return ranges && findFunctionName(ranges, { line: at.line, column: at.column - 1 });
}

function describe(opened: OpenMap, part: MapPart, segment: Segment): ResolvedPosition | undefined {
  const named = part.sources[segment.source];
  if (typeof named !== 'string' || segment.line < 0 || segment.column < 0) return undefined;
  const source = nameSource(opened, named);
  const inApp = isOwnSource(source);
  const at = { line: segment.line + 1, column: segment.column + 1 };
  const name = segment.name === undefined ? '' : part.names[segment.name];
  return {
    ...at,
    source,
    inApp,
    name: typeof name === 'string' ? name.slice(0, longestName) : '',
    functionName: nameFunction(opened, named, at),
    context: inApp ? readContext(part.contents[segment.source], at.line) : undefined,
  };
}

/** The part that a position is in: the last that begins at or before it. Lines and columns from 0. */
function findPart({ parts }: OpenMap, line: number, column: number): MapPart | undefined {
  return parts.findLast((part) => part.line < line || (part.line === line && part.column <= column));
}

type Asked = { readonly index: number; readonly wanted: Wanted };

/** By the part that they are in, and as seen from there: each part is passed over once. */
function groupByPart(opened: OpenMap, positions: readonly Position[]): ReadonlyMap<MapPart, readonly Asked[]> {
  const groups = new Map<MapPart, Asked[]>();
  for (const [index, position] of positions.entries()) {
    const [line, column] = [position.line - 1, position.column - 1];
    const part = findPart(opened, line, column);
    if (!part) continue;
    const wanted = { line: line - part.line, column: line === part.line ? column - part.column : column };
    const group = groups.get(part);
    if (group) group.push({ index, wanted });
    else groups.set(part, [{ index, wanted }]);
  }
  return groups;
}

function scan(mappings: string, wanted: readonly Wanted[]): readonly (Segment | undefined)[] {
  try {
    return findSegments(mappings, wanted);
  } catch {
    // A part that is not what the format says. The others are.
    return [];
  }
}

/** Never throws. Undefined for each position of which the map says nothing. */
export function resolvePositions(place: MapPlace, positions: readonly Position[]): MapAnswer {
  const opened = openMap(place);
  if (!opened) return { type: 'refused', reason: 'the map cannot be read' };
  const found = positions.map((): ResolvedPosition | undefined => undefined);
  for (const [part, asked] of groupByPart(opened, positions)) {
    const segments = scan(
      part.mappings,
      asked.map(({ wanted }) => wanted),
    );
    for (const [at, { index }] of asked.entries()) {
      const segment = segments[at];
      if (segment) found[index] = describe(opened, part, segment);
    }
  }
  return { type: 'resolved', positions: found };
}
