import type { IncomingMessage, ServerResponse } from 'node:http';

import { failBody } from './broken-messages.ts';
import { chunksPerTurn, createDrop, isChunked, type Push } from './drop-chunks.ts';
import { createGatheredBytes } from './gathered-bytes.ts';

/**
 * Node makes a buffer of each chunk of a chunked body, however small it is, and keeps them until somebody reads: its own limit counts
 * bytes alone. A megabyte in chunks of one byte, sent on a dozen connections, ended a server of 256 MB. 18 MB of such uploads made the
 * proxy grow by 2 GiB. So both ports step in where Node's parser hands the chunks over. Our own interface refuses what no client sends.
 * The proxy refuses nothing that an app may take. It puts small chunks together: how a body is cut means nothing (RFC 9112, 7.1).
 */
/** A larger chunk goes on as it came. */
const gatheredBelow = 4 * 1024;
/** What one read of a connection brings, at most. */
const mostGathered = 64 * 1024;
/** For a request whose body has not begun: the small chunks that one read of the connection brings are one piece. */
export function gatherChunks(incoming: IncomingMessage): void {
  if (!isChunked(incoming)) return;
  const push: Push = incoming.push.bind(incoming);
  const gathered = createGatheredBytes();
  let chunks = 0;

  function flush(): void {
    if (gathered.size() === 0) return;
    const piece = gathered.take();
    if (!incoming.destroyed) push(piece);
  }

  /** After this read. Ticks run between the chunks of one read. Whoever reads the piece has the connection read on. */
  function endTurn(): void {
    chunks = 0;
    flush();
  }

  incoming.push = function pushGathered(chunk: Uint8Array | null) {
    const isSmall = chunk !== null && chunk.byteLength < gatheredBelow;
    if (!isSmall || gathered.size() + chunk.byteLength > mostGathered) flush();
    if (!isSmall) return push(chunk);
    if (chunks === 0) setImmediate(endTurn);
    chunks += 1;
    gathered.add(chunk);
    return chunks !== chunksPerTurn && incoming.readableLength + gathered.size() < incoming.readableHighWaterMark;
  };
}

/** What sends a body without its length, or through a proxy, sends kilobytes at once; the first thousands may be smaller. */
const fewChunks = 4_096;
const bytesPerChunk = 512;

/** For a request whose body has not begun. With too many chunks it fails for whoever reads it, and the rest is dropped as it comes. */
export function limitChunks(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!isChunked(incoming)) return;
  gatherChunks(incoming);
  const push: Push = incoming.push.bind(incoming);
  const drop = createDrop(incoming);
  let [chunks, size] = [0, 0];
  let isOver = false;

  incoming.push = function pushCounted(chunk: Uint8Array | null) {
    if (isOver) return drop();
    if (chunk === null) return push(null);
    chunks += 1;
    size += chunk.byteLength;
    if (chunks <= fewChunks + size / bytesPerChunk) return push(chunk);
    isOver = true;
    const error = Object.assign(new Error('the body came in too many chunks'), { code: 'ERR_TOO_MANY_CHUNKS' });
    failBody(outgoing, error, { code: 'malformed-request', detail: error.message });
    return drop();
  };
}
