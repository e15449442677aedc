import { findRowCause, type Flight, type Hole, readHeader, type RowCause } from '#flight';

import type { Arrival } from '../arrival.ts';

/** A row's places on the axis (see arrival.ts): those of its first byte and of its last byte. */
export type RowTimes = { readonly first: number; readonly last: number };

export function readRowTimes(flight: Flight, arrival: Arrival, row: number): RowTimes {
  const { starts } = flight.rows;
  const start = starts[row] ?? 0;
  const end = starts[row + 1] ?? start;
  return { first: arrival.unit === 'bytes' ? start : arrival.at(start + 1), last: arrival.at(end) };
}

/** A row that a boundary waited for, on the axis: since the boundary had come, until the row had. */
type Wait = {
  readonly from: number;
  readonly until: number;
  readonly hole: Hole;
  /** What the server asked, and had its answer to right before the row came. By their times alone, so it may be another. */
  readonly request: RowCause | undefined;
};

export type Waits = {
  readonly byRow: ReadonlyMap<number, Wait>;
  /** The rows that were waited for noticeably, in order. */
  readonly rows: readonly number[];
  /** What waited noticeably for a row, or waits for one that never came; the longest wait first. */
  readonly holes: readonly Hole[];
};

/**
 * The shortest wait that counts: a hundredth of the whole, because less cannot be seen; and a millisecond, because the
 * chunks of one burst are fractions of a millisecond apart.
 */
function readShortestWait({ unit, end }: Arrival): number {
  return Math.max(unit === 'ms' ? 1 : 0, end / 100);
}

/**
 * The waits, as the findings have them (`findHoles`): of the page and its Suspense boundaries. References alone would
 * count what development's own rows refer to, and what came before its boundary.
 */
export function readWaits(
  flight: Flight,
  arrival: Arrival,
  holes: readonly Hole[],
  requests: readonly RowCause[] = [],
): Waits {
  const shortest = readShortestWait(arrival);
  const byRow = new Map<number, Wait>();
  const noticed: Hole[] = [];
  for (const hole of holes) {
    const row = hole.boundary?.row ?? flight.root;
    if (row === undefined) continue;
    const from = arrival.at(readHeader(flight.rows, row).end);
    let isNoticed = hole.state === 'open';
    for (const awaited of hole.rows) {
      if (awaited.row === undefined) continue;
      const until = readRowTimes(flight, arrival, awaited.row).last;
      if (until - from < shortest || until === from) continue;
      isNoticed = true;
      // The holes come with the longest wait first, and a row may be waited for in several.
      if (byRow.has(awaited.row)) continue;
      const request = arrival.unit === 'ms' ? findRowCause(requests, from, until) : undefined;
      byRow.set(awaited.row, { from, until, hole, request });
    }
    if (isNoticed) noticed.push(hole);
  }
  return { byRow, rows: [...byRow.keys()].sort((a, b) => a - b), holes: noticed };
}

/** When the last row that was waited for came, counted from when its boundary had come. */
export function readLongestWait(
  flight: Flight,
  arrival: Arrival,
  hole: Hole,
): { row: number; wait: number } | undefined {
  const row = hole.rows.findLast((awaited) => awaited.row !== undefined)?.row;
  const boundary = hole.boundary?.row ?? flight.root;
  if (row === undefined || boundary === undefined) return undefined;
  return { row, wait: readRowTimes(flight, arrival, row).last - arrival.at(readHeader(flight.rows, boundary).end) };
}
