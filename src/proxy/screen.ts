import type { IncomingMessage } from 'node:http';

import type { SeenRequest } from './watch.ts';

/** Who looks at a request's body before the app sees a byte of the request. Undefined: nobody has to. */
export type Screen = (request: Pick<SeenRequest, 'method' | 'target' | 'headers'>) => Screening | undefined;

export type Screening = {
  /** Bytes of the body that are held back at most. */
  readonly limit: number;
  /** What becomes of a longer one, which nobody looks at. */
  readonly refusesLarger: boolean;
  readonly isRefused: (body: Uint8Array) => boolean;
};

/** What was held back: all of the body, or the beginning of one that is too long. */
export type HeldBody = { readonly chunks: readonly Buffer[]; readonly isWhole: boolean };

/** Of all requests together. What comes when it is full counts as too long. */
const heldLimit = 64 * 1024 * 1024;
let heldBytes = 0;

/** Pieces of a body that are kept until it is known what becomes of it. */
export type Hold = {
  readonly chunks: readonly Buffer[];
  /** @returns false when it is too long */
  readonly add: (chunk: Buffer) => boolean;
  /** Gives the memory back, once. */
  readonly release: () => void;
};

/** @param limit of this body */
export function createHold(limit: number): Hold {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    chunks,
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      heldBytes += chunk.length;
      return bytes <= limit && heldBytes <= heldLimit;
    },
    release() {
      heldBytes -= bytes;
      bytes = 0;
    },
  };
}

/**
 * Holds a body back until it is there or too long. Nothing is called when the client leaves meanwhile, or its body is broken: that
 * is `onError`'s.
 */
export function holdBody(
  incoming: IncomingMessage,
  limit: number,
  onHeld: (held: HeldBody) => void,
  onError: (error: NodeJS.ErrnoException) => void,
): void {
  const hold = createHold(limit);

  function stop(): void {
    hold.release();
    incoming.off('data', take).off('end', finish).off('error', fail).off('close', stop);
  }
  function finish(): void {
    stop();
    onHeld({ chunks: hold.chunks, isWhole: true });
  }
  function fail(error: NodeJS.ErrnoException): void {
    stop();
    onError(error);
  }
  function take(chunk: Buffer): void {
    if (hold.add(chunk)) return;
    stop();
    // What follows waits until the app is there.
    incoming.pause();
    onHeld({ chunks: hold.chunks, isWhole: false });
  }
  incoming.on('data', take).on('end', finish).on('error', fail).on('close', stop);
}
