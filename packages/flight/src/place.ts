import { endAt, startAt } from './tape.ts';
import type { Flight } from './flight.ts';

/** A place in a flight: a row (its position, not its id), or bytes inside it (offsets from the start of the flight). */
export type Place = { readonly row: number; readonly start?: number; readonly end?: number };

/** The bytes of the value at `at` of the tape, which belongs to row `row`. */
export function placeOf(flight: Flight, row: number, at: number): Place {
  return { row, start: startAt(flight.tape, at), end: endAt(flight.tape, at, flight.bytes) };
}
