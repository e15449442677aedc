import { estimateCompression, type Compression } from './compression.ts';
import {
  countCopy,
  createPatterns,
  listPatterns,
  numberOriginal,
  type DuplicatePattern,
  type Patterns,
} from './duplicate-patterns.ts';
import { countBefore } from './count-before.ts';
import { createElementNames, type ElementNames } from './element-names.ts';
import { findEqualValues, pageEnd, rowItem, type EqualValues, type EqualValuesOptions } from './equal-values.ts';
import type { Flight } from './flight.ts';
import { findFrameworkPages, type FrameworkPages } from './framework-pages.ts';
import { placeOf, type Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { readHeader, readRowTag } from './row-index.ts';
import { readRow } from './row.ts';
import { arrayKind, elementKind, endAt, isStringKind, kindAt, nextAt, objectKind, startAt } from './tape.ts';
import { readValue } from './value.ts';
import { readString } from './value-text.ts';

/**
 * What is sent more than once: the same string, the same structure byte for byte, the same text or binary row. What React
 * itself sends once and refers to again (`$3`) is no duplicate; nor is an object's key, nor what development adds.
 *
 * Two passes, both linear. The first (equal-values.ts) tells which values are equal. The second reads the page from the
 * outside in, in the order of the bytes, and sorts the copies of each value:
 *
 * - the first copy is the original, and costs nothing;
 * - a later copy outside everything else that repeats is wasted, with all its bytes, and is not looked into;
 * - a later copy inside something that repeats is part of that, which counts its bytes.
 *
 * So `count` is the number of copies in the bytes, of all three sorts; `wasted` and `places` are about the second sort
 * alone, so that no byte is wasted twice and the sum over all is what sending each once would save. A value whose later
 * copies are all of the third sort is not listed: what they are part of is.
 */
export type Duplicates = {
  /** The most wasteful first, at most `maxListed`. */
  list: readonly Duplicate[];
  /** How many different things repeat, and the bytes of all repeats. */
  count: number;
  wasted: number;
  /**
   * What these bytes cost after compression: by how much the payload, compressed, shrinks without them. Mostly little, because
   * they are repeats. The same number of a duplicate and of a pattern is its share of this.
   */
  compressed: number;
  /** Where the repeats are, as pairs: a list that sends each label twice is one of these. The most wasteful first. */
  patterns: readonly DuplicatePattern[];
  /** There was more than is compared or told apart (`maxClasses`, `maxInside`, `maxPatterns`): some repeats are missing. */
  isCut: boolean;
};

export type Duplicate = {
  kind: 'string' | 'structure' | 'row';
  /** In a few words. */
  text: string;
  /** Of one copy. */
  bytes: number;
  /** All copies in the payload, the original and those inside larger repeats too. */
  count: number;
  /** The bytes of the copies that are inside no larger repeat, without the original. */
  wasted: number;
  /** What these cost after compression. */
  compressed: number;
  /** The original, then the copies that are wasted; at most `maxPlaces`. */
  places: readonly DuplicatePlace[];
};

type DuplicatePlace = Place & {
  /** The nearest element and prop: `li title`, `Chart data`, `p` for children; empty outside elements. */
  inside: string;
};

/** Where what a module row has stands. */
const modulesInside = 'client modules';

const maxListed = 500;

/** Wasted bytes from which on their cost is measured. Less is told by nobody, and each copy's own cost will do. */
const minMeasured = 1000;
const maxPlaces = 20;

/** A wasted copy. */
type Copy = { valueClass: number; place: DuplicatePlace };

type Search = {
  flight: Flight;
  names: ElementNames;
  pageAround: FrameworkPages;
  equal: EqualValues;
  compression: Compression;
  /** By class: its wasted copies, and what they cost after compression. */
  repeats: Uint32Array;
  costs: Float32Array;
  /** The bytes of all wasted copies: pairs of start and end, in the order of the bytes. */
  ranges: number[];
  /** Classes with wasted copies, in the order of the first of them. */
  repeated: number[];
  /** The first wasted copies of each class. */
  copies: Copy[];
  patterns: Patterns;
  /** Where the values of the row that is searched stand when they are in no element. */
  outside: string;
  wasted: number;
  isCut: boolean;
};

type DuplicatesOptions = EqualValuesOptions & {
  /** What the payload's bytes cost after compression; estimated when left out. */
  compression?: Compression;
};

/** What a flight sends more than once, in bytes of the payload. */
export function findDuplicates(flight: Flight, options: DuplicatesOptions = {}): Duplicates {
  const { compression = estimateCompression(flight.bytes) } = options;
  const equal = findEqualValues(flight, options);
  const search: Search = {
    flight,
    names: createElementNames(flight),
    pageAround: findFrameworkPages(flight),
    equal,
    compression,
    repeats: new Uint32Array(equal.count + 1),
    costs: new Float32Array(equal.count + 1),
    ranges: [],
    repeated: [],
    copies: [],
    patterns: createPatterns(equal.count),
    outside: '',
    wasted: 0,
    isCut: equal.isCut,
  };
  for (let row = 0; row < flight.rows.count; row++) {
    const model = flight.rows.models[row] ?? 0;
    search.outside = readRowTag(flight.rows, row).role === 'module' ? modulesInside : '';
    if (model !== 0) searchModel(search, row, model - 1);
    else if (hasCopies(search, rowItem(flight, row))) meet(search, row, rowItem(flight, row), '');
  }
  return readResult(search);
}

function readResult(search: Search): Duplicates {
  const { flight, equal, repeats, costs, repeated, copies, patterns } = search;
  const cost = costOfCopies(search);
  const sizes = new Map(repeated.map((valueClass) => [valueClass, sizeOf(flight, equal.firsts[valueClass] ?? 0)]));
  const wastedBy = (valueClass: number) => (sizes.get(valueClass) ?? 0) * (repeats[valueClass] ?? 0);
  const listed = repeated.toSorted((a, b) => wastedBy(b) - wastedBy(a)).slice(0, maxListed);
  const placesOf = new Map<number, DuplicatePlace[]>();
  for (const valueClass of listed) {
    const original = placeOfItem(flight, equal.firsts[valueClass] ?? 0);
    placesOf.set(valueClass, [{ ...original, inside: patterns.inside[patterns.insideOf[valueClass] ?? 0] ?? '' }]);
  }
  for (const { valueClass, place } of copies) placesOf.get(valueClass)?.push(place);
  return {
    list: listed.map((valueClass) => ({
      kind: kindOf(flight, equal.firsts[valueClass] ?? 0),
      text: describe(flight, equal.firsts[valueClass] ?? 0),
      bytes: sizes.get(valueClass) ?? 0,
      count: equal.counts[valueClass] ?? 0,
      wasted: wastedBy(valueClass),
      compressed: (costs[valueClass] ?? 0) * cost.factor,
      places: placesOf.get(valueClass) ?? [],
    })),
    count: repeated.length,
    wasted: search.wasted,
    compressed: cost.total,
    patterns: listPatterns(patterns, maxListed).map((pattern) => ({
      ...pattern,
      compressed: pattern.compressed * cost.factor,
    })),
    isCut: search.isCut || patterns.isCut,
  };
}

/** The same, where it is known by how much more the server sent. */
export function scaleDuplicates(duplicates: Duplicates, factor: number): Duplicates {
  const scale = <One extends { compressed: number }>(one: One) => ({ ...one, compressed: one.compressed * factor });
  return { ...scale(duplicates), list: duplicates.list.map(scale), patterns: duplicates.patterns.map(scale) };
}

/**
 * The payload compressed with the copies and without them. A copy is a match of two or three bytes, but it also parts what
 * stands around it, which would be one match otherwise: in a long list of short texts that is more than the copy itself.
 * `factor` is what each part's own cost is multiplied by.
 */
function costOfCopies({ flight, compression, ranges, costs, repeated, wasted }: Search): {
  total: number;
  factor: number;
} {
  const own = repeated.reduce((sum, valueClass) => sum + (costs[valueClass] ?? 0), 0);
  if (wasted < minMeasured || own === 0) return { total: own, factor: 1 };
  const rest = new Uint8Array(flight.bytes.length - wasted);
  let from = 0;
  let to = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    const piece = flight.bytes.subarray(from, ranges[index]);
    rest.set(piece, to);
    to += piece.length;
    from = ranges[index + 1] ?? from;
  }
  rest.set(flight.bytes.subarray(from), to);
  const total = Math.max(compression.total - compression.measure(rest, moveCuts(compression.cuts, ranges)), 0);
  return { total, factor: total / own };
}

/** Where the cuts are without these ranges. */
function moveCuts(cuts: readonly number[], ranges: readonly number[]): number[] {
  let removed = 0;
  let at = 0;
  return cuts.map((cut) => {
    while (at < ranges.length && (ranges[at + 1] ?? 0) <= cut) {
      removed += (ranges[at + 1] ?? 0) - (ranges[at] ?? 0);
      at += 2;
    }
    const start = ranges[at] ?? cut;
    return Math.min(cut, start) - removed;
  });
}

function kindOf({ tape }: Flight, item: number): Duplicate['kind'] {
  if (item >= tape.size) return 'row';
  return isStringKind(kindAt(tape, item)) ? 'string' : 'structure';
}

function describe(flight: Flight, item: number): string {
  const { row } = placeOfItem(flight, item);
  if (item >= flight.tape.size) return printRow(flight, readRow(flight, row));
  return printValue(flight, readValue(flight, row, item));
}

type Span = { row: number; start: number; end: number };

function placeOfItem(flight: Flight, item: number): Span {
  const { tape, rows, bytes } = flight;
  if (item >= tape.size) {
    const row = item - tape.size;
    const { payloadStart, payloadEnd } = readHeader(rows, row);
    return { row, start: payloadStart, end: payloadEnd };
  }
  const start = startAt(tape, item);
  return { row: rowAt(flight, start), start, end: endAt(tape, item, bytes) };
}

function sizeOf(flight: Flight, item: number): number {
  const { start, end } = placeOfItem(flight, item);
  return end - start;
}

/** The row that holds this byte. */
function rowAt({ rows }: Flight, byte: number): number {
  return Math.max(0, countBefore(rows.count, (row) => (rows.starts[row] ?? 0) <= byte) - 1);
}

type Open = {
  kind: 'array' | 'object' | 'props' | 'element';
  at: number;
  end: number;
  /** How many items were met. */
  part: number;
  /** The place of its key when it is a prop; -1 otherwise. */
  key: number;
  outer: Open | undefined;
  /** The nearest element, and that with the prop: read when something inside is a copy. */
  names: { element: string; inside: string } | undefined;
};

function searchModel(search: Search, row: number, root: number): void {
  const { flight } = search;
  const { tape } = flight;
  let top: Open | undefined;
  for (let at = root; ;) {
    while (top && at >= top.end) {
      at = nextAt(tape, top.at);
      top = top.outer;
    }
    if (!top && at > root) return;
    const key: number = top?.kind === 'props' ? at : -1;
    if (top?.kind === 'props' || top?.kind === 'object') at += 2;
    const isRepeat = hasCopies(search, at) && meet(search, row, at, readInside(search, row, top, key));
    const inner = isRepeat ? undefined : openContainer(flight, at, key, top);
    if (top) top.part += 1;
    if (!inner && !top) return;
    at = inner ? at + 2 : nextAt(tape, at);
    top = inner ?? top;
  }
}

function openContainer(flight: Flight, at: number, key: number, outer: Open | undefined): Open | undefined {
  const code = kindAt(flight.tape, at);
  if (code !== arrayKind && code !== objectKind && code !== elementKind) return undefined;
  let kind: Open['kind'] = 'array';
  if (code === objectKind) kind = outer?.kind === 'element' && outer.part === 3 ? 'props' : 'object';
  else if (code === elementKind) kind = 'element';
  return { kind, at, end: pageEnd(flight, at), part: 0, key, outer, names: undefined };
}

/** Where a value stands, in words: in `top`, as the prop whose key is at `key` if it is one. */
function readInside(search: Search, row: number, top: Open | undefined, key: number): string {
  if (!top) return search.outside;
  const unnamed: Open[] = [];
  for (let open: Open | undefined = top; open && !open.names; open = open.outer) unnamed.push(open);
  let names = top.names ?? { element: '', inside: search.outside };
  for (const open of unnamed.toReversed()) {
    names = open.outer?.names ?? names;
    if (open.kind === 'element') {
      const { name } = search.pageAround(open.at) ?? search.names.typeOf(row, open.at);
      names = { element: name, inside: name };
    } else if (open.key >= 0) names = { ...names, inside: nameProp(search, names.element, open.key) };
    open.names = names;
  }
  return key >= 0 ? nameProp(search, names.element, key) : names.inside;
}

/** `li title`; children are the element itself. */
function nameProp({ flight }: Search, element: string, key: number): string {
  const prop = readString(flight, key);
  return prop === 'children' ? element : `${element} ${prop.slice(0, 40)}`;
}

function hasCopies({ equal }: Search, item: number): boolean {
  const valueClass = equal.classOf[item] ?? 0;
  return valueClass !== 0 && (equal.counts[valueClass] ?? 0) > 1;
}

/** Whether an item that has copies is not the first; it is wasted then. */
function meet(search: Search, row: number, item: number, inside: string): boolean {
  const { flight, equal } = search;
  const valueClass = equal.classOf[item] ?? 0;
  if (equal.firsts[valueClass] === item) {
    numberOriginal(search.patterns, valueClass, inside);
    return false;
  }
  const place = item < flight.tape.size ? placeOf(flight, row, item) : placeOfItem(flight, item);
  countRepeat(search, valueClass, { ...place, inside });
  return true;
}

function countRepeat(search: Search, valueClass: number, place: DuplicatePlace): void {
  const { start = 0, end = 0 } = place;
  const repeats = (search.repeats[valueClass] ?? 0) + 1;
  const cost = search.compression.of(start, end);
  search.ranges.push(start, end);
  search.repeats[valueClass] = repeats;
  search.costs[valueClass] = (search.costs[valueClass] ?? 0) + cost;
  search.wasted += end - start;
  if (repeats === 1) search.repeated.push(valueClass);
  if (repeats < maxPlaces) search.copies.push({ valueClass, place });
  const kind = patternKindOf(search, search.equal.firsts[valueClass] ?? 0, place.inside);
  countCopy(search.patterns, { valueClass, kind, place, bytes: end - start, cost, isNew: repeats === 1 });
}

function patternKindOf({ flight }: Search, item: number, inside: string): DuplicatePattern['kind'] {
  if (inside === modulesInside) return 'modules';
  if (item >= flight.tape.size) {
    const row = item - flight.tape.size;
    if (readRowTag(flight.rows, row).role === 'binary') return 'data';
  } else if (!isStringKind(kindAt(flight.tape, item))) {
    return kindAt(flight.tape, item) === elementKind ? 'element' : 'data';
  }
  return / class(?:Name)?$/.test(inside) ? 'classes' : 'text';
}
