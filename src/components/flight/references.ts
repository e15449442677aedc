import {
  type DollarForm,
  readDollar,
  type Flight,
  findRow,
  codedDollarKind,
  dollarKind,
  kindAt,
  nextAt,
  wordsOf,
  readString,
} from '#flight';

/**
 * Which rows refer to a row, and which row was the first to promise it. The client waits at a lazy or a promise: a
 * Suspense boundary shows its fallback from the row that contains the lazy until the row that it promises.
 */
export type References = {
  /** For each row, the rows that refer to it, in order; at most `maxListed`. */
  readonly to: ReadonlyMap<number, readonly number[]>;
  /** For each row, the first row that promised it; -1 when no row did before it came. */
  readonly promisedBy: Int32Array;
};

/** Enough to show. A string that is used ten thousand times has ten thousand references. */
const maxListed = 12;

function readTargetId(form: DollarForm): number | undefined {
  if ('id' in form) return form.id;
  return 'target' in form ? form.target?.id : undefined;
}

export type ReferenceReader = {
  /** Complete once `advance` has returned true. */
  readonly references: References;
  /** Reads on until the time is over. @returns whether every row has been read */
  readonly advance: (until: number) => boolean;
};

/** Reads the references of every row, in slices: for 5 MB that takes a tenth of a second. */
export function createReferenceReader(flight: Flight, now = () => performance.now()): ReferenceReader {
  const { rows } = flight;
  const to = new Map<number, number[]>();
  const promisedBy = new Int32Array(rows.count).fill(-1);
  let next = 0;

  function note(row: number, form: DollarForm): void {
    const id = readTargetId(form);
    const target = id === undefined ? undefined : findRow(rows, id);
    if (target === undefined) return;
    const list = to.get(target) ?? [];
    to.set(target, list);
    if (list.length < maxListed && list.at(-1) !== row) list.push(row);
    const isPromise = form.kind === 'lazy' || form.kind === 'promise';
    if (isPromise && target > row && promisedBy[target] === -1) promisedBy[target] = row;
  }

  function readRow(row: number): void {
    const model = rows.models[row] ?? 0;
    if (model === 0) return;
    const end = nextAt(flight.tape, model - 1);
    for (let at = model - 1; at < end;) {
      const kind = kindAt(flight.tape, at);
      const isDollar = kind === dollarKind || kind === codedDollarKind;
      if (isDollar) note(row, readDollar(readString(flight, at), flight.direction));
      at += wordsOf(kind);
    }
  }

  return {
    references: { to, promisedBy },
    advance: (until) => {
      while (next < rows.count) {
        readRow(next);
        next += 1;
        if (now() >= until) break;
      }
      return next >= rows.count;
    },
  };
}
