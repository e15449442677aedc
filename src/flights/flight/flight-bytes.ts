import type { FlightChannel } from '#src/runtime/renderer/flight-observer.ts';
import type { FlightChunk } from '#src/runtime/renderer/flight.ts';

import type { Budget } from './budget.ts';
import type { ChunkTime } from './flight-columns.ts';

/**
 * One flight's chunks while it is open: React's own buffers, not copied until the flight is complete and goes to the writer.
 * Two kinds are copied: a small chunk would keep a whole 4 KiB buffer in memory, and a long one may belong to the page, which
 * can change it (see runtime/renderer/flight-observer.ts).
 */

/** What makes a larger payload too large shows in its first megabyte. */
export const flightLimit = 1024 * 1024;
/** Chunks that are listed one by one; the rest of a stream counts as one. A waterfall shows no more lines either. */
const chunksLimit = 4_096;
/** React's buffers are 4096 bytes (`VIEW_SIZE` of its Node build). */
const reactBufferBytes = 4_096;

export type FlightBytes = {
  readonly add: (chunk: FlightChunk, channel: FlightChannel) => void;
  readonly times: () => readonly ChunkTime[];
  readonly bytes: () => { readonly payload: number; readonly debug: number };
  /** Empty when there was no room in memory for all of them. */
  readonly payload: () => readonly FlightChunk[];
  readonly debug: () => readonly FlightChunk[];
  readonly isOverBudget: () => boolean;
  /** Gives the memory back. */
  readonly discard: () => void;
};

/** A string stays one until it is written into the slab: it is encoded once. */
function toKept(chunk: FlightChunk): FlightChunk {
  if (typeof chunk === 'string') return chunk;
  const isReactBuffer = chunk.byteLength <= reactBufferBytes;
  return isReactBuffer && chunk.byteLength > reactBufferBytes / 2 ? chunk : Buffer.from(chunk);
}

/** @param elapsed milliseconds since the request began */
export function createFlightBytes(budget: Budget, elapsed: () => number): FlightBytes {
  const times: ChunkTime[] = [];
  let kept: Record<FlightChannel, FlightChunk[]> = { payload: [], debug: [] };
  const sizes = { payload: 0, debug: 0 };
  let held = 0;
  let isOverBudget = false;

  function discard(): void {
    budget.give(held);
    held = 0;
    kept = { payload: [], debug: [] };
  }

  function keep(chunk: FlightChunk, size: number, channel: FlightChannel): void {
    const room = flightLimit - sizes[channel];
    if (isOverBudget || room <= 0) return;
    const whole = toKept(chunk);
    if (!budget.take(size)) {
      isOverBudget = true;
      discard();
      return;
    }
    held += size;
    kept[channel].push(size <= room ? whole : Buffer.from(whole).subarray(0, room));
  }

  return {
    add(chunk, channel) {
      const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
      if (size === 0) return;
      const isDebug = channel === 'debug' ? 1 : 0;
      const last = times.at(-1);
      const ms = Math.max(0, Math.round(elapsed() * 100) / 100);
      if (last && times.length >= chunksLimit) times[chunksLimit - 1] = [ms, last[1] + size, last[2]];
      else times.push([ms, size, isDebug]);
      keep(chunk, size, channel);
      sizes[channel] += size;
    },
    times: () => times,
    bytes: () => ({ ...sizes }),
    payload: () => kept.payload,
    debug: () => kept.debug,
    isOverBudget: () => isOverBudget,
    discard,
  };
}
