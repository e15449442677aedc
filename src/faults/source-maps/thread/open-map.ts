import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { listParts, type MapPart } from '#report/source-map/source-map.ts';

import type { MapPlace } from './messages.ts';
import { folderKey, largestMapBytes, parseMap, unpackMap } from './store-map.ts';

/**
 * Maps that were parsed, the latest used last, as many as fit into a budget. Their mappings stay text (#report/source-map), so what one
 * takes is known: its own size, twice where it has characters beyond Latin-1, and something for each name and source.
 */
export type OpenMap = {
  /** One; several where it is made of sections, by the position at which each begins. */
  readonly parts: readonly MapPart[];
  /** The folder of the map from the project's root, where its sources are named from; undefined for an uploaded one. */
  readonly folder: string | undefined;
  readonly cost: number;
};

/** As other servers of this kind have it. The thread's heap is three times this: the next map is read beside them. */
const budgetBytes = 64 * 1024 * 1024;
const bytesPerByte = 2;
/** A text of its own in memory, with its place in a list. A map of 9 MB may have 900,000 names. */
const bytesPerValue = 40;

const open = new Map<string, OpenMap>();
let openBytes = 0;

function load(place: MapPlace): OpenMap | undefined {
  try {
    if (statSync(place.file).size > largestMapBytes) return undefined;
    const read = readFileSync(place.file);
    const bytes = place.type === 'stored' ? unpackMap(read) : read;
    const raw = parseMap(bytes.toString('utf8'));
    if (!raw) return undefined;
    const folder = place.type === 'built' ? place.folder : raw[folderKey];
    const parts = listParts(raw);
    const values = parts.reduce((sum, { names, sources }) => sum + names.length + 2 * sources.length, 0);
    return {
      parts,
      folder: typeof folder === 'string' ? path.posix.normalize(folder) : undefined,
      cost: bytes.length * bytesPerByte + values * bytesPerValue,
    };
  } catch {
    // Deleted meanwhile, or cut off. The frames stay as they are.
    return undefined;
  }
}

/** Returns undefined when it cannot be read. */
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
