import { parentPort } from 'node:worker_threads';
import { mkdirSync, readFileSync, statSync } from 'node:fs';

import type { BuiltMap, KeepRequest, MapAnswer, MapRequest, StoredMap } from './messages.ts';
import { resolvePositions } from './resolve-positions.ts';
import { unpackBundle } from './unpack-bundle.ts';
import { folderKey, largestMapBytes, parseMap, readDebugId, storeMap } from './store-map.ts';

/** Stores the maps of a build on this machine as uploaded ones are stored. */

function keepMap({ file, folder: from, url }: BuiltMap, folder: string): StoredMap | undefined {
  if (statSync(file).size > largestMapBytes) return undefined;
  const map = parseMap(readFileSync(file, 'utf8'));
  if (!map) return undefined;
  const whole = { ...map, [folderKey]: from };
  return { url, debugId: readDebugId(map['debugId']), ...storeMap(folder, Buffer.from(JSON.stringify(whole))) };
}

function keepBuiltMaps({ maps, folder }: KeepRequest): MapAnswer {
  mkdirSync(folder, { recursive: true });
  const stored = maps.flatMap((map) => keepMap(map, folder) ?? []);
  return { type: 'stored', maps: stored, skipped: maps.length - stored.length };
}

/**
 * The thread that reads source maps: what a map costs in time and memory is its uploader's choice, and no page waits for it. It
 * answers one request after the other. Whoever asks ends it when an answer takes too long, and starts it again. In development
 * Node runs it from its sources, so it imports only modules of plain rooms (scripts/server-rooms.mjs).
 */
function answer(request: MapRequest): MapAnswer {
  switch (request.type) {
    case 'resolve':
      return resolvePositions(request.map, request.positions);
    case 'unpack':
      return unpackBundle(request);
    case 'keep':
      return keepBuiltMaps(request);
  }
}

const port = parentPort;
port?.on('message', (request: MapRequest) => port.postMessage(answer(request)));
