import { decodeFlight } from './decode-flight.ts';
import { beginsAsFlight } from './flight-start.ts';
import type { Flight } from './flight.ts';
import type { Place } from './place.ts';
import { readRowTag } from './row-index.ts';
import { readRow } from './row.ts';
import { mostNested } from './scan-flight.ts';

/**
 * Flight within Flight: Next.js sends cached parts of a page as the bytes of another payload, in a typed array. Decoded
 * when asked for, one level at a time, and once. The nested flight's bytes are a part of the outer one's, not a copy, so
 * a place in it is a place in the outer one too.
 */
const nestedOf = new WeakMap<Flight, Map<number, Flight | undefined>>();
const outerOf = new WeakMap<Flight, { readonly flight: Flight; readonly row: number }>();

function decodeNested(flight: Flight, row: number): Flight | undefined {
  const content = readRow(flight, row);
  if (content.kind !== 'binary' && content.kind !== 'bytes') return undefined;
  if (!beginsAsFlight(content.data)) return undefined;
  const nested = decodeFlight(content.data, { moduleFiles: flight.moduleFiles });
  if (nested.root === undefined) return undefined;
  outerOf.set(nested, { flight, row });
  return nested;
}

/** The payload in a binary row; undefined for a row that holds none. @throws RangeError when there is no such row */
export function readNestedFlight(flight: Flight, row: number): Flight | undefined {
  const known = nestedOf.get(flight) ?? new Map<number, Flight | undefined>();
  nestedOf.set(flight, known);
  if (!known.has(row)) known.set(row, decodeNested(flight, row));
  return known.get(row);
}

/** A payload in a binary row, and that row of the outermost flight. */
export type NestedFlight = { readonly row: number; readonly flight: Flight };

/** The payloads in binary rows, those inside them too, a few levels deep, in the order sent. */
export function listNestedFlights(flight: Flight, depth = 0): readonly NestedFlight[] {
  if (depth === mostNested) return [];
  const found: NestedFlight[] = [];
  for (let row = 0; row < flight.rows.count; row++) {
    const { body } = readRowTag(flight.rows, row);
    const nested = body === 'binary' || body === 'bytes' ? readNestedFlight(flight, row) : undefined;
    if (!nested) continue;
    found.push({ row, flight: nested });
    for (const { flight: inner } of listNestedFlights(nested, depth + 1)) found.push({ row, flight: inner });
  }
  return found;
}

/** A place as the outermost flight has it: the row that holds the nested one, and the same bytes. */
export function placeInOutermost(flight: Flight, place: Place): Place {
  let found = place;
  let inner = flight;
  for (let outer = outerOf.get(inner); outer; outer = outerOf.get(inner)) {
    const shift = inner.bytes.byteOffset - outer.flight.bytes.byteOffset;
    const { start, end } = found;
    const bytes = start === undefined || end === undefined ? {} : { start: start + shift, end: end + shift };
    found = { row: outer.row, ...bytes };
    inner = outer.flight;
  }
  return found;
}
