import path from 'node:path';

import { originalPositionFor, sourceContentFor } from '@jridgewell/trace-mapping';

import { findFunctionName } from '#src/runtime/errors/function-ranges.ts';

import type { MapAnswer, MapPlace, Position, ResolvedPosition } from './messages.ts';
import { openMap, type OpenMap } from './open-map.ts';

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

function readContext(opened: OpenMap, source: string, line: number): ResolvedPosition['context'] {
  const text = sourceContentFor(opened.map, source);
  if (text === null) return undefined;
  const first = Math.max(0, line - 1 - contextLinesEachSide);
  const lines = text.split('\n', line + contextLinesEachSide).slice(first);
  // A position behind the end: the content is of another version.
  return lines.length > line - 1 - first ? { firstLine: first + 1, lines: lines.map(cutLine) } : undefined;
}

/** Undefined where nothing is known of the source's functions. */
function nameFunction({ functions }: OpenMap, source: string, at: Position): string | undefined {
  const ranges = Object.hasOwn(functions, source) ? functions[source] : undefined;
  return ranges && findFunctionName(ranges, { line: at.line, column: at.column - 1 });
}

function resolvePosition(opened: OpenMap, { line, column }: Position): ResolvedPosition | undefined {
  const found = originalPositionFor(opened.map, { line, column: column - 1 });
  if (found.source === null) return undefined;
  const source = nameSource(opened, found.source);
  const inApp = isOwnSource(source);
  const at = { line: found.line, column: found.column + 1 };
  return {
    ...at,
    source,
    inApp,
    name: (found.name ?? '').slice(0, longestName),
    functionName: nameFunction(opened, found.source, at),
    context: inApp ? readContext(opened, found.source, found.line) : undefined,
  };
}

/** Never throws. Undefined for each position of which the map says nothing. */
export function resolvePositions(place: MapPlace, positions: readonly Position[]): MapAnswer {
  const opened = openMap(place);
  if (!opened) return { type: 'refused', reason: 'the map cannot be read' };
  const found = positions.map((position) => {
    try {
      return resolvePosition(opened, position);
    } catch {
      // A line or a column that no map has, or mappings that name a source which is not there.
      return undefined;
    }
  });
  return { type: 'resolved', positions: found };
}
