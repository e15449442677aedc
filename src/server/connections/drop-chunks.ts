import type { IncomingMessage } from 'node:http';

/** Chunks of a body that nobody needs: Node's parser calls for each, and a read of one-byte chunks brings thousands. */
export type Push = IncomingMessage['push'];

export function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/**
 * In one turn of the event loop, which reads a connection up to 32 times. One read of 64 KiB has 10,900 chunks of one byte,
 * some 10 ms, so it is the last one in its turn.
 */
export const chunksPerTurn = 2_048;

/** Takes a chunk that nobody needs. As slowly as chunks are gathered: what it returns is for Node's parser. */
export function createDrop({ socket }: IncomingMessage): () => boolean {
  let dropped = 0;
  function readOn(): void {
    if (dropped >= chunksPerTurn) socket.resume();
    dropped = 0;
  }
  return function drop() {
    dropped += 1;
    if (dropped === 1) setImmediate(readOn);
    return dropped !== chunksPerTurn;
  };
}

/** For a request that is refused by its head alone, before its body has begun: the stream ends without a chunk. */
export function dropChunks(incoming: IncomingMessage): void {
  if (!isChunked(incoming)) return;
  const push: Push = incoming.push.bind(incoming);
  const drop = createDrop(incoming);
  incoming.push = (chunk: Uint8Array | null) => (chunk === null ? push(null) : drop());
}
