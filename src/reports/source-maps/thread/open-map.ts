import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { FlattenMap, TraceMap } from '@jridgewell/trace-mapping';

import { functionRangesFile, isFunctionRanges, type FunctionRanges } from '#src/runtime/errors/function-ranges.ts';

import type { MapPlace } from './messages.ts';
import { folderKey, functionsKey, largestMapBytes, parseMap, type RawMap, unpackMap } from './store-map.ts';

/**
 * Maps that were parsed, the latest used last, as many as fit into a budget. What a parsed map takes is estimated: its text, and
 * its decoded mappings, which are made at the first question.
 */
export type OpenMap = {
  readonly map: TraceMap;
  readonly functions: FunctionRanges;
  /** The folder of the map from the project's root, where its sources are named from; undefined for an uploaded one. */
  readonly folder: string | undefined;
  readonly cost: number;
};

/** As other servers of this kind have it. One map of a large app fits; the thread's heap is three times this. */
const budgetBytes = 64 * 1024 * 1024;
/** Measured: a map of 1.8 MB with 285,000 mappings takes 24 MB once it is decoded. */
const bytesPerMappingsByte = 16;
const open = new Map<string, OpenMap | undefined>();
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

function listTexts(value: unknown): (string | null)[] {
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? one : null)) : [];
}

/** One with sections is joined to one without. The library reads that from text alone. */
function traceMap(raw: RawMap): TraceMap {
  const [mappings, sourceRoot] = [raw['mappings'], raw['sourceRoot']];
  if (typeof mappings !== 'string') return new FlattenMap(JSON.stringify(raw));
  return new TraceMap({
    version: 3,
    mappings,
    names: listTexts(raw['names']).map((name) => name ?? ''),
    sources: listTexts(raw['sources']),
    sourcesContent: listTexts(raw['sourcesContent']),
    ...(typeof sourceRoot === 'string' ? { sourceRoot } : {}),
  });
}

function countMappings(raw: RawMap): number {
  const mappings = raw['mappings'];
  if (typeof mappings === 'string') return mappings.length;
  // One with sections: as if it were nothing but mappings.
  return JSON.stringify(raw['sections'] ?? '').length;
}

function readJson(place: MapPlace): string | undefined {
  if (statSync(place.file).size > largestMapBytes) return undefined;
  const bytes = readFileSync(place.file);
  return (place.type === 'stored' ? unpackMap(bytes) : bytes).toString('utf8');
}

function load(place: MapPlace): OpenMap | undefined {
  try {
    const json = readJson(place);
    const raw = json === undefined ? undefined : parseMap(json);
    if (json === undefined || !raw) return undefined;
    const folder = place.type === 'built' ? place.folder : raw[folderKey];
    return {
      map: traceMap(raw),
      functions: readFunctions(place, raw),
      folder: typeof folder === 'string' ? path.posix.normalize(folder) : undefined,
      cost: json.length + countMappings(raw) * bytesPerMappingsByte,
    };
  } catch {
    // Deleted meanwhile, cut off, or not what the format says. The frames stay as they are.
    return undefined;
  }
}

function forget(key: string): void {
  openBytes -= open.get(key)?.cost ?? 0;
  open.delete(key);
}

/** Undefined when it cannot be read. */
export function openMap(place: MapPlace): OpenMap | undefined {
  const key = place.file;
  const found = open.get(key);
  if (found) {
    open.delete(key);
    open.set(key, found);
    return found;
  }
  const loaded = load(place);
  if (!loaded) return undefined;
  // Room is made first: the map that comes is decoded beside those that stay.
  for (const oldest of open.keys()) {
    if (openBytes + loaded.cost <= budgetBytes) break;
    forget(oldest);
  }
  open.set(key, loaded);
  openBytes += loaded.cost;
  return loaded;
}
