import type { Arrival } from './arrival.ts';
import type { OpenedFlight } from './opened-flight.ts';
import { readReferences } from './references.ts';

/** A row's places on the axis: see arrival.ts. */
export type RowTimes = {
  /** Its first byte, and its last. */
  readonly first: number;
  readonly last: number;
  /** When a row that promises it had come: from then on the client waits. Undefined when none did before. */
  readonly promised: number | undefined;
};

export function readRowTimes({ flight }: Pick<OpenedFlight, 'flight'>, arrival: Arrival, row: number): RowTimes {
  const { starts } = flight.rows;
  const start = starts[row] ?? 0;
  const end = starts[row + 1] ?? start;
  const by = readReferences(flight).promisedBy[row] ?? -1;
  const first = arrival.unit === 'bytes' ? start : arrival.at(start + 1);
  const promised = by < 0 ? undefined : arrival.at(starts[by + 1] ?? 0);
  return { first, last: arrival.at(end), promised };
}

/** Rows that came later than they were promised, not in the same chunk; and the one that took longest. */
export type Waits = { readonly rows: readonly number[]; readonly longest: { row: number; wait: number } | undefined };

export function readWaits(opened: OpenedFlight, arrival: Arrival): Waits {
  const { promisedBy } = readReferences(opened.flight);
  const rows: number[] = [];
  let longest: Waits['longest'];
  for (let row = 0; row < promisedBy.length; row++) {
    if ((promisedBy[row] ?? -1) < 0) continue;
    const { last, promised = last } = readRowTimes(opened, arrival, row);
    const wait = last - promised;
    if (wait <= 0) continue;
    rows.push(row);
    if (wait > (longest?.wait ?? 0)) longest = { row, wait };
  }
  return { rows, longest };
}
