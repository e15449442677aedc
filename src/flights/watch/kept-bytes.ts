import type { Budget } from '../flight/budget.ts';

/**
 * The beginning of a stream, copied as it comes: a chunk belongs to whoever sends it on. One buffer that grows to twice its size,
 * since an array of chunks would keep an object, and for a small chunk a pool of 8 KiB, for each flush of a slow page.
 */
export type KeptBytes = {
  /** Ignored when there is no memory for it. */
  readonly add: (chunk: Uint8Array) => void;
  /** Milliseconds and bytes of each chunk, in turn. */
  readonly times: () => readonly number[];
  readonly bytes: () => Uint8Array;
  /** All that came, kept or not. */
  readonly total: () => number;
  readonly isOverBudget: () => boolean;
  /** Gives the memory back. */
  readonly discard: () => void;
};

const smallest = 16 * 1024;
/** As many as are listed one by one of our own flights; the rest of a stream counts as one. */
const chunksLimit = 4_096;
const none = Buffer.alloc(0);

/**
 * @param limit of the bytes that are kept
 * @param elapsed milliseconds since the request began
 */
export function createKeptBytes(budget: Budget, limit: number, elapsed: () => number): KeptBytes {
  const times: number[] = [];
  let buffer = none;
  let used = 0;
  let total = 0;
  let isOverBudget = false;
  let isDiscarded = false;

  function discard(): void {
    isDiscarded = true;
    budget.give(buffer.length);
    buffer = none;
    used = 0;
  }

  function grow(least: number): boolean {
    const size = Math.min(limit, Math.max(smallest, buffer.length * 2, least));
    if (!budget.take(size)) {
      isOverBudget = true;
      discard();
      return false;
    }
    // To make room, this one was told to give up: it is the oldest.
    if (isDiscarded) {
      budget.give(size);
      return false;
    }
    // Not from the pool: it is kept for as long as the response lasts.
    const larger = Buffer.allocUnsafeSlow(size);
    buffer.copy(larger, 0, 0, used);
    budget.give(buffer.length);
    buffer = larger;
    return true;
  }

  function note(bytes: number): void {
    const last = times.length - 2;
    if (times.length >= chunksLimit * 2) times[last + 1] = (times[last + 1] ?? 0) + bytes;
    else times.push(Math.max(0, Math.round(elapsed() * 100) / 100), bytes);
  }

  return {
    add(chunk) {
      total += chunk.byteLength;
      const kept = Math.min(chunk.byteLength, limit - used);
      if (isDiscarded || kept <= 0) return;
      if (used + kept > buffer.length && !grow(used + kept)) return;
      buffer.set(kept === chunk.byteLength ? chunk : chunk.subarray(0, kept), used);
      used += kept;
      note(kept);
    },
    times: () => times,
    bytes: () => buffer.subarray(0, used),
    total: () => total,
    isOverBudget: () => isOverBudget,
    discard,
  };
}
