import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';

import { functionRangesFile } from '#src/runtime/errors/function-ranges.ts';

import type { BuiltMap, KeepRequest, MapAnswer, StoredMap } from './messages.ts';
import { folderKey, functionsKey, largestMapBytes, parseMap, readDebugId, storeMap } from './store-map.ts';

/** Stores the maps of a build on this machine as uploaded ones are stored, each with what the build says of its functions. */

function readJson(file: string): unknown {
  try {
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  } catch {
    // Cut off: the names of functions are missing, the places are not.
    return undefined;
  }
}

function keepMap({ file, folder: from, url }: BuiltMap, folder: string): StoredMap | undefined {
  if (statSync(file).size > largestMapBytes) return undefined;
  const map = parseMap(readFileSync(file, 'utf8'));
  if (!map) return undefined;
  const whole = { ...map, [folderKey]: from, [functionsKey]: readJson(functionRangesFile(file)) };
  return { url, debugId: readDebugId(map['debugId']), ...storeMap(folder, Buffer.from(JSON.stringify(whole))) };
}

export function keepBuiltMaps({ maps, folder }: KeepRequest): MapAnswer {
  mkdirSync(folder, { recursive: true });
  const stored = maps.flatMap((map) => keepMap(map, folder) ?? []);
  return { type: 'stored', maps: stored, skipped: maps.length - stored.length };
}
