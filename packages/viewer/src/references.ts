import { type Flight, findRow, readReferences } from '#flight';

/** Which rows refer to a row. */
export type References = {
  /** For each row, the rows that refer to it, in order; at most `maxListed`. */
  readonly to: ReadonlyMap<number, readonly number[]>;
};

/** Enough to show. A string that is used ten thousand times has ten thousand references. */
const maxListed = 12;

export type ReferenceReader = {
  /** Complete once `advance` has returned true. */
  readonly references: References;
  /** Reads on until the time is over. @returns whether every row has been read */
  readonly advance: (until: number) => boolean;
};

/** Reads the references of every row, in slices: for 5 MB that takes a tenth of a second. */
export function createReferenceReader(flight: Flight): ReferenceReader {
  const { rows } = flight;
  const to = new Map<number, number[]>();
  let next = 0;

  function readRow(row: number): void {
    for (const { id } of readReferences(flight, row)) {
      const target = findRow(rows, id);
      if (target === undefined) continue;
      const list = to.get(target) ?? [];
      to.set(target, list);
      if (list.length < maxListed && list.at(-1) !== row) list.push(row);
    }
  }

  return {
    references: { to },
    advance: (until) => {
      while (next < rows.count) {
        readRow(next);
        next += 1;
        if (performance.now() >= until) break;
      }
      return next >= rows.count;
    },
  };
}
