import type { Flight } from './flight.ts';
import { isStringKind, nextAt, numberKind, wordsOf } from './tape.ts';
import { readNumber, readString } from './value-text.ts';

/**
 * Every value of every row, straight along the tape, with its text and numbers read: for whoever looks at all of a
 * payload (search, the benchmark). `row` is the row's number, `at` the value's place on the tape.
 */
export type FlightVisitor = {
  /** Strings, keys and `$` forms, as text. */
  text?: (text: string, row: number, at: number) => void;
  number?: (value: number, row: number, at: number) => void;
};

/** Calls the visitor for each string and number of a flight, in the order of the bytes. @returns how many values and keys there are */
export function visitFlight(flight: Flight, visitor: FlightVisitor): number {
  const { rows, tape } = flight;
  const { words } = tape;
  const { text, number } = visitor;
  let count = 0;
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    if (model === 0) continue;
    const end = nextAt(tape, model - 1);
    for (let at = model - 1; at < end;) {
      count += 1;
      const kind = (words[at] ?? 0) >>> 28;
      if (kind === numberKind) number?.(readNumber(flight, at), row, at);
      else if (text && isStringKind(kind)) text(readString(flight, at), row, at);
      at += wordsOf(kind);
    }
  }
  return count;
}
