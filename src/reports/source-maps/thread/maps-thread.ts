import { parentPort } from 'node:worker_threads';

import { keepBuiltMaps } from './keep-built-maps.ts';
import type { MapAnswer, MapRequest } from './messages.ts';
import { resolvePositions } from './resolve-positions.ts';
import { unpackBundle } from './unpack-bundle.ts';

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
