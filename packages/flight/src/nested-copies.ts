import { createContentHashes } from './content-hash.ts';
import { minStructureBytes, pageEnd } from './equal-values.ts';
import { cost, isWorthSaying, maxOfKind, share, type Finding, type Understood } from './finding.ts';
import type { Flight } from './flight.ts';
import { listNestedFlights, type NestedFlight, placeInOutermost } from './nested-flight.ts';
import type { Place } from './place.ts';
import { printValue } from './print-value.ts';
import { markPageRows } from './promised-rows.ts';
import { readHeader } from './row-index.ts';
import { arrayKind, elementKind, endAt, itemsEnd, kindAt, nextAt, objectKind, startAt, wordsOf } from './tape.ts';
import { readValue } from './value.ts';

/**
 * What a payload in a binary row repeats of the payload that holds it: the same structure, whatever the ids of the rows are that it is
 * made of. Next.js keeps cached parts of a page so, and sends what is in them and in the page twice.
 */

type Hash = (at: number) => number;

/** Of 53 bits: with 32, two of 100,000 values would have the same by chance now and then. */
function createHash(flight: Flight, seeds: readonly [number, number]): Hash {
  const [first, second] = seeds.map((seed) => createContentHashes(flight, seed));
  return (at) => (first?.(at) ?? 0) * 2 ** 21 + ((second?.(at) ?? 0) >>> 11);
}

/** Calls `visit` for each structure of the page, from the outside in. What it returns true for is not looked into. */
function visitStructures(flight: Flight, visit: (row: number, at: number) => boolean): void {
  const { rows, tape, bytes } = flight;
  const pageRows = markPageRows(flight);
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    if (model === 0 || pageRows?.[row] === 0) continue;
    // An element's last parts are development's.
    const debugParts = new Map<number, number>();
    const end = nextAt(tape, model - 1);
    for (let at = model - 1; at < end;) {
      const after = debugParts.get(at);
      if (after !== undefined && after > at) {
        at = after;
        continue;
      }
      const kind = kindAt(tape, at);
      const isStructure = kind === arrayKind || kind === objectKind || kind === elementKind;
      if (isStructure && endAt(tape, at, bytes) - startAt(tape, at) >= minStructureBytes && visit(row, at)) {
        at = nextAt(tape, at);
        continue;
      }
      if (kind === elementKind) debugParts.set(pageEnd(flight, at), itemsEnd(tape, at));
      at += wordsOf(kind);
    }
  }
}

type Copies = { readonly row: number; bytes: number; compressed: number; largest: Copy | undefined };
type Copy = { readonly bytes: number; readonly text: string; readonly place: Place };

function findCopies(
  { row, flight: nested }: NestedFlight,
  isKnown: (hash: number) => boolean,
  hash: Hash,
  { compression }: Understood,
): Copies {
  const copies: Copies = { row, bytes: 0, compressed: 0, largest: undefined };
  visitStructures(nested, (inner, at) => {
    if (!isKnown(hash(at))) return false;
    const [start, end] = [startAt(nested.tape, at), endAt(nested.tape, at, nested.bytes)];
    const place = placeInOutermost(nested, { row: inner, start, end });
    copies.bytes += end - start;
    copies.compressed += compression.of(place.start ?? 0, place.end ?? 0);
    if (end - start > (copies.largest?.bytes ?? 0)) {
      copies.largest = { bytes: end - start, text: printValue(nested, readValue(nested, inner, at)), place };
    }
    return true;
  });
  return copies;
}

/** One finding for each binary row whose payload repeats enough, the largest first. */
export function findNestedCopies(flight: Flight, understood: Understood): Finding[] {
  const nested = listNestedFlights(flight);
  if (nested.length === 0) return [];
  const seeds = [Math.floor(Math.random() * 2 ** 32), Math.floor(Math.random() * 2 ** 32)] as const;
  const known = new Set<number>();
  const outerHash = createHash(flight, seeds);
  visitStructures(flight, (_, at) => {
    known.add(outerHash(at));
    return false;
  });
  return nested
    .map((one) => findCopies(one, (hash) => known.has(hash), createHash(one.flight, seeds), understood))
    .filter((copies) => isWorthSaying(copies, understood))
    .toSorted((a, b) => b.compressed - a.compressed)
    .slice(0, maxOfKind)
    .flatMap(({ row, largest, ...size }) => {
      if (!largest) return [];
      const title = `The payload in row ${readHeader(flight.rows, row).id.toString(16)} repeats what the page has, such as ${largest.text}: ${share(size, understood)}.`;
      const advice =
        'A cached part of the page comes as a payload of its own, and what is both in it and in the page is sent in both: look at what renders it a second time.';
      return [cost('sent-twice', size, { title, advice, place: largest.place, parts: [] })];
    });
}
