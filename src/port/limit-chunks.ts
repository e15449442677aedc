import type { IncomingMessage, ServerResponse } from 'node:http';

import { failBody } from './broken-messages.ts';

/**
 * Node makes a buffer of each chunk of a chunked body, however small it is, and keeps them until somebody reads: its own limit counts
 * bytes alone. A megabyte in chunks of one byte, sent on a dozen connections, ended a server of 256 MB. So the chunks are counted where
 * Node's parser hands them over. A body with too many fails there, for whoever reads it; the rest is dropped as it comes.
 */

/** What sends a body without its length, or through a proxy, sends kilobytes at once; the first thousands may be smaller. */
const fewChunks = 4_096;
const bytesPerChunk = 512;

/** For a request whose body has not begun. */
export function limitChunks(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.headers['transfer-encoding'] === undefined) return;
  const push = incoming.push.bind(incoming);
  let chunks = 0;
  let size = 0;
  let isOver = false;
  incoming.push = function pushCounted(chunk: Uint8Array | null) {
    if (isOver) return true;
    if (chunk === null) return push(null);
    chunks += 1;
    size += chunk.byteLength;
    if (chunks <= fewChunks + size / bytesPerChunk) return push(chunk);
    isOver = true;
    const error = Object.assign(new Error('the body came in too many chunks'), { code: 'ERR_TOO_MANY_CHUNKS' });
    failBody(outgoing, error, { code: 'malformed-request', detail: error.message });
    return true;
  };
}
