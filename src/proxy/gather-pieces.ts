import type { ServerResponse } from 'node:http';

import { createGatheredBytes } from '#src/server/connections/gathered-bytes.ts';

/**
 * An app may send its answer in pieces of one byte, and a client may not read it. Node counts the bytes that wait and not the writes:
 * 64 KiB were 4 MB of memory for each client. So the small pieces of one read are written together, and only so many writes wait.
 */
export type Pieces = {
  /** Copied, and written with the others of this read, before anything else happens. */
  readonly add: (piece: Uint8Array) => void;
  /** To be called before anything else is written, and before the end. */
  readonly flush: () => void;
};

/** Writes that the client's connection has not taken. Half of them later the app goes on. */
const mostWaiting = 256;

type Pace = { readonly pause: () => void; readonly resume: () => void };

export function gatherPieces(outgoing: ServerResponse, { pause, resume }: Pace): Pieces {
  const gathered = createGatheredBytes();
  let waiting = 0;
  let isFull = false;

  function noteTaken(): void {
    waiting -= 1;
    if (!isFull || waiting > mostWaiting / 2) return;
    isFull = false;
    // Else the drain that is to come lets it go on.
    if (!outgoing.writableNeedDrain) resume();
  }

  function flush(): void {
    if (gathered.size() === 0) return;
    const whole = gathered.take();
    if (outgoing.destroyed) return;
    waiting += 1;
    const isFree = outgoing.write(whole, noteTaken);
    isFull ||= waiting > mostWaiting;
    if (!isFree || isFull) pause();
  }

  return {
    add(piece) {
      if (gathered.size() === 0) process.nextTick(flush);
      gathered.add(piece);
    },
    flush,
  };
}
