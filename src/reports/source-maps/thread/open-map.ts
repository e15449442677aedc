import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#src/http/is-record.ts';
import { functionRangesFile, isFunctionRanges, type FunctionRanges } from '#src/runtime/errors/function-ranges.ts';

import type { MapPlace } from './messages.ts';
import { folderKey, functionsKey, largestMapBytes, parseMap, type RawMap, unpackMap } from './store-map.ts';

/**
 * Maps that were parsed, the latest used last, as many as fit into a budget. Their mappings stay text (scan-mappings.ts), so what one
 * takes is known: its own size, twice where it has characters beyond Latin-1.
 */
export type OpenMap = {
  /** One; several where it is made of sections, by the position at which each begins. */
  readonly parts: readonly MapPart[];
  readonly functions: FunctionRanges;
  /** The folder of the map from the project's root, where its sources are named from; undefined for an uploaded one. */
  readonly folder: string | undefined;
  readonly cost: number;
};

export type MapPart = {
  /** From 0. */
  readonly line: number;
  readonly column: number;
  readonly mappings: string;
  readonly sources: readonly unknown[];
  readonly contents: readonly unknown[];
  readonly names: readonly unknown[];
};

/** As other servers of this kind have it. The thread's heap is three times this: the next map is read beside them. */
const budgetBytes = 64 * 1024 * 1024;
const bytesPerByte = 2;
/** Sections within sections; bundlers make one level. */
const mostLevels = 4;

const open = new Map<string, OpenMap>();
let openBytes = 0;

/** Of a built map: what stands beside it. */
function readFunctions(place: MapPlace, raw: RawMap): FunctionRanges {
  if (place.type === 'stored') return isFunctionRanges(raw[functionsKey]) ? raw[functionsKey] : {};
  const file = functionRangesFile(place.file);
  if (!existsSync(file)) return {};
  try {
    const ranges: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isFunctionRanges(ranges) ? ranges : {};
  } catch {
    // Cut off, for example by a full disk. Then the frames have no names.
    return {};
  }
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Offset = { readonly line: number; readonly column: number };

function readSource(sourceRoot: unknown, source: unknown): unknown {
  const isPrefixed = typeof sourceRoot === 'string' && sourceRoot !== '' && typeof source === 'string';
  return isPrefixed ? `${sourceRoot.replace(/\/$/, '')}/${source}` : source;
}

function listParts(raw: unknown, offset: Offset, level: number): MapPart[] {
  if (!isRecord(raw) || level > mostLevels) return [];
  const { mappings, sections, sources, sourcesContent, names, sourceRoot } = raw;
  if (typeof mappings === 'string') {
    const named = asList(sources).map((source) => readSource(sourceRoot, source));
    return [{ ...offset, mappings, sources: named, contents: asList(sourcesContent), names: asList(names) }];
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

function load(place: MapPlace): OpenMap | undefined {
  try {
    if (statSync(place.file).size > largestMapBytes) return undefined;
    const read = readFileSync(place.file);
    const bytes = place.type === 'stored' ? unpackMap(read) : read;
    const raw = parseMap(bytes.toString('utf8'));
    if (!raw) return undefined;
    const folder = place.type === 'built' ? place.folder : raw[folderKey];
    return {
      parts: listParts(raw, { line: 0, column: 0 }, 0),
      functions: readFunctions(place, raw),
      folder: typeof folder === 'string' ? path.posix.normalize(folder) : undefined,
      cost: bytes.length * bytesPerByte,
    };
  } catch {
    // Deleted meanwhile, or cut off. The frames stay as they are.
    return undefined;
  }
}

/** Undefined when it cannot be read. */
export function openMap(place: MapPlace): OpenMap | undefined {
  const found = open.get(place.file);
  if (found) {
    open.delete(place.file);
    open.set(place.file, found);
    return found;
  }
  const loaded = load(place);
  if (!loaded) return undefined;
  for (const [file, { cost }] of open) {
    if (openBytes + loaded.cost <= budgetBytes) break;
    open.delete(file);
    openBytes -= cost;
  }
  open.set(place.file, loaded);
  openBytes += loaded.cost;
  return loaded;
}
