import type { Arrival } from '../arrival.ts';
import type { OpenedFlight } from '../opened-flight.ts';
import type { References } from '../references.ts';

/** A row's places on the axis: see arrival.ts. */
export type RowTimes = {
  /** The times of its first byte and of its last byte. */
  readonly first: number;
  readonly last: number;
  /**
   * The time at which a row that promises it had come: from then on the client waits. Undefined when no row promised it
   * before.
   */
  readonly promised: number | undefined;
};

/** What the times of rows are read from. Without references, nothing is known about promises. */
export type Timing = Pick<OpenedFlight, 'flight'> & {
  readonly arrival: Arrival;
  readonly references: References | undefined;
};

export function readRowTimes({ flight, arrival, references }: Timing, row: number): RowTimes {
  const { starts } = flight.rows;
  const start = starts[row] ?? 0;
  const end = starts[row + 1] ?? start;
  const by = references?.promisedBy[row] ?? -1;
  const first = arrival.unit === 'bytes' ? start : arrival.at(start + 1);
  const promised = by < 0 ? undefined : arrival.at(starts[by + 1] ?? 0);
  return { first, last: arrival.at(end), promised };
}

/** Rows that came noticeably later than they were promised, and the one that took longest. */
export type Waits = { readonly rows: readonly number[]; readonly longest: { row: number; wait: number } | undefined };

/**
 * The shortest wait that counts: a hundredth of the whole, because less cannot be seen; and a millisecond, because the
 * chunks of one burst are fractions of a millisecond apart.
 */
function readShortestWait({ unit, end }: Arrival): number {
  return Math.max(unit === 'ms' ? 1 : 0, end / 100);
}

export function readWaits(timing: Timing): Waits {
  const promisedBy = timing.references?.promisedBy ?? new Int32Array();
  const shortest = readShortestWait(timing.arrival);
  const rows: number[] = [];
  let longest: Waits['longest'];
  for (let row = 0; row < promisedBy.length; row++) {
    if ((promisedBy[row] ?? -1) < 0) continue;
    const { last, promised = last } = readRowTimes(timing, row);
    const wait = last - promised;
    if (wait < shortest || wait === 0) continue;
    rows.push(row);
    if (wait > (longest?.wait ?? 0)) longest = { row, wait };
  }
  return { rows, longest };
}
