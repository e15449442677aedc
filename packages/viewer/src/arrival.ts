import { formatBytes, formatDuration } from '#flight';
import { findPlace } from './list-keys.ts';
import type { OpenedFlight } from './opened-flight.ts';

/**
 * When the bytes came. A chunk is one write: all of its bytes come at its time. A flight without times is placed by the
 * order of its bytes, so that the same code draws over time and over bytes.
 */
export type Arrival = {
  readonly unit: 'ms' | 'bytes';
  /** Where the axis ends: the last chunk's time, or the number of bytes. Never 0. */
  readonly end: number;
  /** The place on the axis at which the byte before `offset` had come. */
  readonly at: (offset: number) => number;
  /** How many bytes had come at a place on the axis. */
  readonly bytesAt: (position: number) => number;
};

export function readArrival({ bytes, chunks }: Pick<OpenedFlight, 'bytes' | 'chunks'>): Arrival {
  if (chunks.length === 0) {
    return { unit: 'bytes', end: Math.max(bytes.length, 1), at: (offset) => offset, bytesAt: (position) => position };
  }
  const ends = new Float64Array(chunks.length);
  const times = new Float64Array(chunks.length);
  let sum = 0;
  let latest = 0;
  for (const [index, chunk] of chunks.entries()) {
    sum += chunk.bytes;
    // A clock may be set back between two writes, but what came later did not come earlier.
    latest = Math.max(latest, chunk.ms);
    ends[index] = sum;
    times[index] = latest;
  }
  return {
    unit: 'ms',
    end: Math.max(latest, 1),
    at: (offset) => times[Math.min(findPlace(ends, offset), times.length - 1)] ?? latest,
    bytesAt: (position) => {
      let came = 0;
      for (let index = 0; index < times.length && (times[index] ?? 0) <= position; index++) came = ends[index] ?? 0;
      return came;
    },
  };
}

/** `38 ms`; `48.1 kB`. */
export function formatPosition(unit: Arrival['unit'], position: number): string {
  return unit === 'ms' ? formatDuration(position) : formatBytes(position);
}
