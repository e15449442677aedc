import path from 'node:path';

import { findOriginals, type MapPart, type Original, readSource } from '#report/source-map/source-map.ts';

import type { MapAnswer, MapPlace, Position, ResolvedPosition } from './messages.ts';
import { findLineStart, nameFunctionAt, type ParsedSource, parseSource } from './name-function.ts';
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

function nameSource(folder: string | undefined, source: string): string {
  return folder === undefined ? cleanSource(source) : path.posix.join(folder, source).slice(0, longestSource);
}

function cutLine(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

function readContext(content: unknown, line: number): ResolvedPosition['context'] {
  if (typeof content !== 'string') return undefined;
  const first = Math.max(0, line - 1 - contextLinesEachSide);
  const start = findLineStart(content, first);
  const lines = start === undefined ? [] : content.slice(start).split('\n', line + contextLinesEachSide - first);
  // A position behind the end: the content is of another version.
  return lines.length > line - 1 - first ? { firstLine: first + 1, lines: lines.map(cutLine) } : undefined;
}

/** Parses each source once for a question. A stack has a few sources of the app's own. */
function createNamer(): (part: MapPart, segment: Original['segment'], source: string) => string | undefined {
  const parsed = new Map<unknown, ParsedSource | undefined>();
  return function nameFunction(part, { source: index, line, column }, source) {
    const text = part.contents[index];
    if (typeof text !== 'string') return undefined;
    if (!parsed.has(text)) parsed.set(text, parseSource(source, text));
    const found = parsed.get(text);
    return found && nameFunctionAt(found, line, column);
  };
}

function describe(
  { folder }: OpenMap,
  { part, segment }: Original,
  nameFunction: ReturnType<typeof createNamer>,
): ResolvedPosition | undefined {
  const named = readSource(part, segment.source);
  if (named === undefined || segment.line < 0 || segment.column < 0) return undefined;
  const source = nameSource(folder, named);
  const inApp = isOwnSource(source);
  const at = { line: segment.line + 1, column: segment.column + 1 };
  const name = segment.name === undefined ? '' : part.names[segment.name];
  return {
    ...at,
    source,
    inApp,
    name: typeof name === 'string' ? name.slice(0, longestName) : '',
    functionName: inApp ? nameFunction(part, segment, source) : undefined,
    context: inApp ? readContext(part.contents[segment.source], at.line) : undefined,
  };
}

/** Never throws. Undefined for each position of which the map says nothing. */
export function resolvePositions(place: MapPlace, positions: readonly Position[]): MapAnswer {
  const opened = openMap(place);
  if (!opened) return { type: 'refused', reason: 'the map cannot be read' };
  const nameFunction = createNamer();
  const found = findOriginals(opened.parts, positions).map(
    (original) => original && describe(opened, original, nameFunction),
  );
  return { type: 'resolved', positions: found };
}
