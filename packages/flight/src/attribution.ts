import { type ByteKind } from './byte-context.ts';
import type { CountedBytes } from './byte-counts.ts';
import { walkBytes } from './byte-walk.ts';
import { estimateCompression, type Compression } from './compression.ts';
import type { Flight } from './flight.ts';
import { placeOf, type Place } from './place.ts';
import { readDollar } from './dollar.ts';
import { readTargetId } from './promised-rows.ts';
import { codedDollarKind, dollarKind, kindAt, nextAt, stepAt } from './tape.ts';
import { readString } from './value-text.ts';

/**
 * Where a payload's bytes go. Every byte is counted exactly once: a value's own bytes are what is not in the values
 * inside it, a row's own are its header and newline, and what follows the last whole row is `unread`. So each of the
 * lists (kinds; rows and `rest`; elements and `outside`) adds up to the payload.
 *
 * A row's bytes belong to its first user, the first value in the order of the page that refers to it; `findUsers` lists
 * the others.
 */
export type Attribution = CountedBytes & {
  total: number;
  /** The whole payload after compression, estimated (compression.ts). */
  compressed: number;
  /** For each row, its bytes and those of the rows whose first user is in it. */
  rowTotals: Uint32Array;
  /** For each row, what these cost after compression (compression.ts), with a fraction. */
  rowCosts: Float32Array;
  /** For each row, 1 + the place on the tape of its first user; 0 for the root and for rows nothing leads to. */
  firstUse: Uint32Array;
  /** For each row, how many values refer to it: more than one is a shared row. */
  uses: Uint32Array;
  /** For each value of the tape, by its place: its bytes and those of the rows whose first user is in it. */
  totals: Uint32Array;
  /** Bytes after the last whole row. */
  rest: number;
};

/** Where a payload's bytes go, each counted once. Time is linear in the payload; memory is at most that of the decoded flight. */
export function attributeBytes(
  flight: Flight,
  compression: Compression = estimateCompression(flight.bytes),
): Attribution {
  const { counts, ...walked } = walkBytes(flight, compression.of);
  return { total: flight.bytes.length, compressed: compression.total, ...counts, ...walked };
}

/** The values that refer to the row with this id, in the order of the bytes, at most `max`. One pass over the payload. */
export function findUsers(flight: Flight, id: number, max: number): Place[] {
  const { rows, tape } = flight;
  const places: Place[] = [];
  for (let row = 0; row < rows.count && places.length < max; row++) {
    const model = rows.models[row] ?? 0;
    if (model === 0) continue;
    const end = nextAt(tape, model - 1);
    for (let at = model - 1; at < end && places.length < max; at = stepAt(tape, at)) {
      const kind = kindAt(tape, at);
      if (kind !== dollarKind && kind !== codedDollarKind) continue;
      const target = readTargetId(readDollar(readString(flight, at), flight.direction));
      if (target === id) places.push(placeOf(flight, row, at));
    }
  }
  return places;
}

/** What each kind is called where people read it. */
export const byteKindNames: Readonly<Record<ByteKind, string>> = {
  text: 'text',
  data: 'data in props',
  classes: 'class names',
  structure: 'structure and keys',
  imports: 'client modules',
  binary: 'binary',
  errors: 'errors',
  hints: 'hints',
  debug: 'development',
  unread: 'unread',
};

/**
 * Estimates what `bytes` of a payload cost on the wire: their share of the measured compressed size of the whole payload.
 * Repeated text compresses better than the rest, so duplicates cost less than this.
 */
export function estimateCompressed(bytes: number, total: number, compressedTotal: number): number {
  return total === 0 ? 0 : Math.round((bytes / total) * compressedTotal);
}
