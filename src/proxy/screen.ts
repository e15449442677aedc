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

/**
 * Of all requests together. When it is full, the body that has been held for longest counts as too long: it comes slowly, so its sender
 * has chosen that, or has a slow line. Those that are sent in one go are always judged.
 */
const heldLimit = 64 * 1024 * 1024;
let heldBytes = 0;
/** The oldest first. */
const holds = new Set<{ readonly release: () => void; readonly giveWay: () => void }>();

/** Pieces of a body that are kept until it is known what becomes of it. */
export type Hold = {
  readonly chunks: readonly Buffer[];
  /** @returns false when it is too long */
  readonly add: (chunk: Buffer) => boolean;
  /** Gives the memory back, once. */
  readonly release: () => void;
};

/**
 * @param limit of this body
 * @param giveWay called when its memory is wanted for others: it counts as too long
 */
export function createHold(limit: number, giveWay: () => void): Hold {
  const chunks: Buffer[] = [];
  let bytes = 0;

  function release(): void {
    heldBytes -= bytes;
    bytes = 0;
    holds.delete(self);
  }

  const self = { release, giveWay };
  return {
    chunks,
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      heldBytes += chunk.length;
      holds.add(self);
      while (heldBytes > heldLimit) {
        const [oldest] = holds;
        if (!oldest || oldest === self) return false;
        oldest.release();
        oldest.giveWay();
      }
      return bytes <= limit;
    },
    release,
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
  const hold = createHold(limit, giveUp);

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
    if (!hold.add(chunk)) giveUp();
  }
  function giveUp(): void {
    stop();
    // What follows waits until the app is there.
    incoming.pause();
    onHeld({ chunks: hold.chunks, isWhole: false });
  }
  incoming.on('data', take).on('end', finish).on('error', fail).on('close', stop);
}
