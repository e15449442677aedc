import { countBefore } from './count-before.ts';

/** One write of a response: when, in milliseconds since its start, and how many bytes. */
export type ChunkTime = { readonly ms: number; readonly bytes: number };

/**
 * When the client had a response's first `byteCount` bytes: the time of the write that brought the last of them;
 * undefined when no times are known, or that byte came in none of the writes.
 */
export function createClock(chunks: readonly ChunkTime[]): (byteCount: number) => number | undefined {
  const ends: number[] = [];
  let end = 0;
  for (const { bytes } of chunks) ends.push((end += bytes));
  return (byteCount) => chunks[countBefore(ends.length, (chunk) => (ends[chunk] ?? 0) < byteCount)]?.ms;
}
