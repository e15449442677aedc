import { type DollarForm, readDollar } from '#src/flight/dollar.ts';
import type { Flight } from '#src/flight/flight.ts';
import { findRow } from '#src/flight/row-index.ts';
import { codedDollarKind, dollarKind, kindAt } from '#src/flight/tape.ts';
import { visitFlight } from '#src/flight/visit-flight.ts';

/**
 * Which rows speak of a row, and which was the first to promise it. A lazy or a promise is where the client waits: a
 * Suspense boundary shows its fallback from the row that has it until the row it promises.
 */
export type References = {
  /** For each row, the rows that refer to it, in order; at most `maxListed`. */
  readonly to: ReadonlyMap<number, readonly number[]>;
  /** For each row, the first row that promised it; -1 where none did before it came. */
  readonly promisedBy: Int32Array;
};

/** Enough to show. A string that is used ten thousand times has ten thousand. */
const maxListed = 12;

function readTargetId(form: DollarForm): number | undefined {
  if ('id' in form) return form.id;
  return 'target' in form ? form.target?.id : undefined;
}

const known = new WeakMap<Flight, References>();

export function readReferences(flight: Flight): References {
  const made = known.get(flight);
  if (made) return made;
  const { rows } = flight;
  const to = new Map<number, number[]>();
  const promisedBy = new Int32Array(rows.count).fill(-1);
  visitFlight(flight, {
    text(text, row, at) {
      const kind = kindAt(flight.tape, at);
      if (kind !== dollarKind && kind !== codedDollarKind) return;
      const form = readDollar(text, flight.direction);
      const id = readTargetId(form);
      const target = id === undefined ? undefined : findRow(rows, id);
      if (target === undefined) return;
      const list = to.get(target) ?? [];
      to.set(target, list);
      if (list.length < maxListed && list.at(-1) !== row) list.push(row);
      const isPromise = form.kind === 'lazy' || form.kind === 'promise';
      if (isPromise && target > row && promisedBy[target] === -1) promisedBy[target] = row;
    },
  });
  const references = { to, promisedBy };
  known.set(flight, references);
  return references;
}
