import { isRecord } from '#boundary';

import { findSegments, type Segment, type Wanted } from './scan-mappings.ts';

/** A source map, or one of the sections of which it is made. Its mappings stay text: what it takes in memory is its own size. */
export type MapPart = {
  /** Where it begins, from 0. */
  readonly line: number;
  readonly column: number;
  readonly mappings: string;
  readonly sources: readonly unknown[];
  /** What their names begin with. */
  readonly root: string;
  readonly contents: readonly unknown[];
  readonly names: readonly unknown[];
};

/** Sections within sections; bundlers make one level. */
const mostLevels = 4;
/** A prefix that keeps JSON from being run as a script; the format allows it. */
const guard = /^\)\]\}[^\n]*\n/;
/** Of places that were asked for. Errors come in groups, and the same few places are asked for again. */
const placesKept = 1_000;

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Offset = { readonly line: number; readonly column: number };

/** Bundlers that name sources by URL write `app/[slug]/page.tsx` as `app/%5Bslug%5D/page.tsx`. */
function decodeSource(source: string): string {
  if (!source.includes('%')) return source;
  try {
    return decodeURIComponent(source);
  } catch {
    // The name of a file that has a percent sign in it.
    return source;
  }
}

/** A path has less. A longer one of a stranger's map would be made anew for each of its sources. */
const longestName = 4_096;

/** Of one source: a map may have a million, and its root may be as long as the map. */
export function readSource({ root, sources }: Pick<MapPart, 'root' | 'sources'>, index: number): string | undefined {
  const source = sources[index];
  if (typeof source !== 'string') return undefined;
  const name = source.slice(0, longestName);
  return decodeSource(root === '' ? name : `${root}/${name}`);
}

/** One; several where it is made of sections, by the position at which each begins. None when it is no map. */
export function listParts(raw: unknown, offset: Offset = { line: 0, column: 0 }, level = 0): MapPart[] {
  if (!isRecord(raw) || level > mostLevels) return [];
  const { mappings, sections, sources, sourcesContent, names, sourceRoot } = raw;
  if (typeof mappings === 'string') {
    const root =
      typeof sourceRoot === 'string' && sourceRoot.length <= longestName ? sourceRoot.replace(/\/$/, '') : '';
    const lists = { sources: asList(sources), contents: asList(sourcesContent), names: asList(names) };
    return [{ ...offset, mappings, root, ...lists }];
  }
  return asList(sections).flatMap((section) => {
    const from = isRecord(section) ? section['offset'] : undefined;
    if (!isRecord(section) || !isRecord(from)) return [];
    const [line, column] = [from['line'], from['column']];
    if (typeof line !== 'number' || typeof column !== 'number') return [];
    const inner = { line: offset.line + line, column: line === 0 ? offset.column + column : column };
    return listParts(section['map'], inner, level + 1);
  });
}

/** A place in the file that the map is of, from 1. */
type Position = { readonly line: number; readonly column: number };

type Asked = { readonly index: number; readonly wanted: Wanted };

/** Groups positions by the part that they are in, the last that begins at or before them: each part is passed over once. */
function groupByPart(
  parts: readonly MapPart[],
  positions: readonly Position[],
): ReadonlyMap<MapPart, readonly Asked[]> {
  const groups = new Map<MapPart, Asked[]>();
  for (const [index, position] of positions.entries()) {
    const [line, column] = [position.line - 1, position.column - 1];
    const part = parts.findLast((one) => one.line < line || (one.line === line && one.column <= column));
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

export type Original = { readonly part: MapPart; readonly segment: Segment };

/** Never throws. Undefined for each position of which the map says nothing. */
export function findOriginals(parts: readonly MapPart[], positions: readonly Position[]): (Original | undefined)[] {
  const found = positions.map((): Original | undefined => undefined);
  for (const [part, asked] of groupByPart(parts, positions)) {
    const segments = scan(
      part.mappings,
      asked.map(({ wanted }) => wanted),
    );
    for (const [at, { index }] of asked.entries()) {
      const segment = segments[at];
      if (segment) found[index] = { part, segment };
    }
  }
  return found;
}

/** Where something was written: from 1, and the whole source where the map has it. */
export type SourcePlace = Position & { readonly source: string; readonly content: string | undefined };

/** A map that stays open. It remembers the places that it was asked for, so that the same error again costs nothing. */
export type SourceMap = {
  readonly parts: readonly MapPart[];
  /** @param all the places that will be asked for, too: one pass over the mappings finds all of them */
  readonly find: (place: Position, all?: readonly Position[]) => SourcePlace | undefined;
};

function toPlace(original: Original | undefined): SourcePlace | undefined {
  if (!original) return undefined;
  const { part, segment } = original;
  const [source, content] = [readSource(part, segment.source), part.contents[segment.source]];
  if (source === undefined) return undefined;
  const at = { line: segment.line + 1, column: segment.column + 1 };
  return { ...at, source, content: typeof content === 'string' ? content : undefined };
}

const nameOf = ({ line, column }: Position): string => `${line}:${column}`;

export function createSourceMap(raw: unknown): SourceMap | undefined {
  const parts = listParts(raw);
  if (parts.length === 0) return undefined;
  const known = new Map<string, SourcePlace | undefined>();

  function find(place: Position, all: readonly Position[] = []): SourcePlace | undefined {
    if (!known.has(nameOf(place))) {
      if (known.size >= placesKept) known.clear();
      const wanted = [place, ...all];
      for (const [index, found] of findOriginals(parts, wanted).entries()) {
        known.set(nameOf(wanted[index] ?? place), toPlace(found));
      }
    }
    return known.get(nameOf(place));
  }
  return { parts, find };
}

/** @throws when it is no JSON. Undefined when it is no map. */
export function parseSourceMap(json: string): SourceMap | undefined {
  const raw: unknown = JSON.parse(json.replace(guard, ''));
  return createSourceMap(raw);
}
