import { createElementNames, partAt, type ElementNames } from './element-names.ts';
import type { Flight } from './flight.ts';
import type { Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { readHeader } from './row-index.ts';
import { readRow } from './row.ts';
import { isOfPage, rowTagOf } from './row-tags.ts';
import {
  arrayKind,
  codedKind,
  elementKind,
  endAt,
  isStringKind,
  itemsEnd,
  kindAt,
  nextAt,
  objectKind,
  plainKind,
  startAt,
} from './tape.ts';
import { hashBytes, hashValues } from './value-hashes.ts';
import { readValue } from './value.ts';
import { readString } from './value-text.ts';

/**
 * What is sent more than once: the same string, the same structure byte for byte, the same text or binary row. The page
 * is read from the outside in; what repeats is counted whole and not looked into, so no byte is wasted twice. Linear in
 * the payload: a hash finds the candidates, their bytes are compared, and a match is skipped. What React itself sends once
 * and refers to again (`$3`) is no duplicate; nor is what development adds.
 */
export type Duplicates = {
  /** The most wasteful first, at most `maxListed`. */
  list: readonly Duplicate[];
  /** How many different things repeat, and the bytes of all repeats (the first of each is not wasted). */
  count: number;
  wasted: number;
  /** Where the repeats are, as pairs: a list that sends each label twice is one of these. The most wasteful first. */
  patterns: readonly DuplicatePattern[];
};

export type Duplicate = {
  kind: 'string' | 'structure' | 'row';
  /** In a few words. */
  text: string;
  /** Of one copy. */
  bytes: number;
  count: number;
  wasted: number;
  /** The first is the original; at most `maxPlaces`. */
  places: readonly DuplicatePlace[];
};

type DuplicatePlace = Place & {
  /** The nearest element and prop: `li title`, `Chart data`, `p` for children; empty outside elements. */
  inside: string;
};

type DuplicatePattern = {
  first: string;
  again: string;
  count: number;
  wasted: number;
  /** How many different things repeat like this. */
  distinct: number;
  place: Place;
};

/** Strings from 16 characters on: React 19.3 outlines those in module rows, for its own reference costs about as much as less. */
const minStringBytes = 18;

/** Structures from this many bytes on: a short element is as long as what would refer to it. */
const minStructureBytes = 32;

const maxListed = 500;
const maxPlaces = 20;

/** Different things that repeat, kept with their places. A payload of 5 MB has a few thousand. */
const maxKept = 50_000;

/** Distinct places (`li title`) that patterns tell apart. */
const maxInside = 4000;

/** Values of one hash that are compared. More have never been seen; a value past them counts as new. */
const maxProbes = 16;

type Found = { kind: Duplicate['kind']; first: number; bytes: number; count: number; places: DuplicatePlace[] };

type Search = {
  flight: Flight;
  hashes: Uint32Array;
  seed: number;
  /** 1 + an item: a place on the tape, or the tape's size + a row. */
  slots: Uint32Array;
  /** For each slot, the number of its `inside`. */
  insideOf: Uint32Array;
  used: number;
  found: Map<number, Found>;
  inside: string[];
  insideNumbers: Map<string, number>;
  patterns: Map<number, DuplicatePattern>;
  count: number;
  wasted: number;
};

export function findDuplicates(flight: Flight): Duplicates {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const search: Search = {
    flight,
    hashes: hashValues(flight, seed),
    seed,
    slots: new Uint32Array(1024),
    insideOf: new Uint32Array(1024),
    used: 0,
    found: new Map(),
    inside: [],
    insideNumbers: new Map(),
    patterns: new Map(),
    count: 0,
    wasted: 0,
  };
  const names = createElementNames(flight);
  for (let row = 0; row < flight.rows.count; row++) {
    const model = flight.rows.models[row] ?? 0;
    const rowTag = rowTagOf(readHeader(flight.rows, row).tag);
    if (model !== 0 && isOfPage(rowTag)) searchModel(search, row, model - 1, names);
    else if (rowTag.role === 'text' || rowTag.role === 'binary') searchRow(search, row);
  }
  return readResult(search);
}

function readResult(search: Search): Duplicates {
  const found = Array.from(search.found.values()).sort((a, b) => wastedBy(b) - wastedBy(a));
  const list = found.slice(0, maxListed).map((one) => ({
    kind: one.kind,
    text: describe(search, one),
    bytes: one.bytes,
    count: one.count,
    wasted: wastedBy(one),
    places: one.places,
  }));
  const patterns = Array.from(search.patterns.values());
  return {
    list,
    count: search.count,
    wasted: search.wasted,
    patterns: patterns.sort((a, b) => b.wasted - a.wasted).slice(0, maxListed),
  };
}

function wastedBy({ bytes, count }: Pick<Found, 'bytes' | 'count'>): number {
  return bytes * (count - 1);
}

function describe({ flight }: Search, { first, places }: Found): string {
  const row = places[0]?.row ?? 0;
  if (first >= flight.tape.size) return printRow(flight, readRow(flight, row));
  return printValue(flight, readValue(flight, row, first));
}

type Open = {
  kind: 'array' | 'object' | 'props' | 'element';
  at: number;
  end: number;
  /** How many items were met. */
  part: number;
  element: string;
  inside: string;
};

function searchModel(search: Search, row: number, root: number, names: ElementNames): void {
  const { flight } = search;
  const { tape } = flight;
  const open: Open[] = [];
  for (let at = root; ;) {
    let top = open.at(-1);
    while (top && at >= top.end) {
      open.pop();
      at = nextAt(tape, top.at);
      top = open.at(-1);
    }
    if (!top && at > root) return;
    let inside = top?.inside ?? '';
    if (top?.kind === 'props') inside = nameProp(top.element, readString(flight, at));
    if (top?.kind === 'props' || top?.kind === 'object') at += 2;
    const inner = isKnown(search, row, at, inside) ? undefined : openContainer(flight, names, row, at, top, inside);
    if (top) top.part += 1;
    if (inner) open.push(inner);
    else if (!top) return;
    at = inner ? at + 2 : nextAt(tape, at);
  }
}

function openContainer(
  flight: Flight,
  names: ElementNames,
  row: number,
  at: number,
  parent: Open | undefined,
  inside: string,
): Open | undefined {
  const { tape } = flight;
  const code = kindAt(tape, at);
  const element = parent?.element ?? '';
  if (code === objectKind) {
    const kind = parent?.kind === 'element' && parent.part === 3 ? 'props' : 'object';
    return { kind, at, end: itemsEnd(tape, at), part: 0, element, inside };
  }
  if (code === elementKind && flight.direction === 'response') {
    const { name } = names.typeOf(row, at);
    // Owner and stack are development's.
    const end = partAt(flight, at, 4) ?? itemsEnd(tape, at);
    return { kind: 'element', at, end, part: 0, element: name, inside: name };
  }
  if (code !== arrayKind && code !== elementKind) return undefined;
  return { kind: 'array', at, end: itemsEnd(tape, at), part: 0, element, inside };
}

/** `li title`; children are the element itself. */
function nameProp(element: string, prop: string): string {
  return prop === 'children' ? element : `${element} ${prop.slice(0, 40)}`;
}

function searchRow(search: Search, row: number): void {
  const { payloadStart, payloadEnd } = readHeader(search.flight.rows, row);
  if (payloadEnd - payloadStart < minStringBytes) return;
  const hash = hashBytes(search.flight.bytes, payloadStart, payloadEnd, search.seed);
  meet(search, row, search.flight.tape.size + row, hash, '');
}

/** Whether the value was sent before; it is counted, and remembered when it was not. */
function isKnown(search: Search, row: number, at: number, inside: string): boolean {
  const { tape, bytes } = search.flight;
  const code = kindAt(tape, at);
  const isText = code === plainKind || code === codedKind;
  if (!isText && code !== arrayKind && code !== objectKind && code !== elementKind) return false;
  const size = endAt(tape, at, bytes) - startAt(tape, at);
  if (size < (isText ? minStringBytes : minStructureBytes)) return false;
  return meet(search, row, at, search.hashes[at] ?? 0, inside);
}

type Span = { start: number; end: number };

function spanOf({ flight }: Search, item: number): Span {
  const { tape, rows, bytes } = flight;
  if (item < tape.size) return { start: startAt(tape, item), end: endAt(tape, item, bytes) };
  const { payloadStart, payloadEnd } = readHeader(rows, item - tape.size);
  return { start: payloadStart, end: payloadEnd };
}

function isSame(bytes: Uint8Array, a: Span, b: Span): boolean {
  const length = a.end - a.start;
  if (b.end - b.start !== length) return false;
  for (let at = 0; at < length; at++) if (bytes[a.start + at] !== bytes[b.start + at]) return false;
  return true;
}

function meet(search: Search, row: number, item: number, hash: number, inside: string): boolean {
  if (search.used * 2 >= search.slots.length) grow(search);
  const { slots, flight } = search;
  const span = spanOf(search, item);
  let slot = hash & (slots.length - 1);
  for (let probe = 0; probe < maxProbes; probe++) {
    const first = (slots[slot] ?? 0) - 1;
    if (first < 0) {
      slots[slot] = item + 1;
      search.insideOf[slot] = numberInside(search, inside);
      search.used += 1;
      return false;
    }
    const firstSpan = spanOf(search, first);
    if (isSame(flight.bytes, firstSpan, span)) {
      countRepeat(search, first, search.insideOf[slot] ?? 0, { row, ...span }, inside);
      return true;
    }
    slot = (slot + 1) & (slots.length - 1);
  }
  return false;
}

function hashOf(search: Search, item: number): number {
  if (item < search.flight.tape.size) return search.hashes[item] ?? 0;
  const { start, end } = spanOf(search, item);
  return hashBytes(search.flight.bytes, start, end, search.seed);
}

function grow(search: Search): void {
  const { slots, insideOf } = search;
  const size = slots.length * 2;
  search.slots = new Uint32Array(size);
  search.insideOf = new Uint32Array(size);
  for (const [old, entry] of slots.entries()) {
    if (entry === 0) continue;
    let slot = hashOf(search, entry - 1) & (size - 1);
    while (search.slots[slot] !== 0) slot = (slot + 1) & (size - 1);
    search.slots[slot] = entry;
    search.insideOf[slot] = insideOf[old] ?? 0;
  }
}

function numberInside(search: Search, inside: string): number {
  const known = search.insideNumbers.get(inside);
  if (known !== undefined) return known;
  if (search.inside.length >= maxInside) return 0;
  search.insideNumbers.set(inside, search.inside.length);
  return search.inside.push(inside) - 1;
}

function kindOf({ flight }: Search, item: number): Duplicate['kind'] {
  if (item >= flight.tape.size) return 'row';
  return isStringKind(kindAt(flight.tape, item)) ? 'string' : 'structure';
}

function countRepeat(search: Search, first: number, firstInside: number, place: Place & Span, inside: string): void {
  const bytes = place.end - place.start;
  search.wasted += bytes;
  let found = search.found.get(first);
  const isNew = found === undefined;
  if (!found) {
    search.count += 1;
    const span = spanOf(search, first);
    const original = { row: rowAt(search.flight, span.start), ...span, inside: search.inside[firstInside] ?? '' };
    found = { kind: kindOf(search, first), first, bytes, count: 1, places: [original] };
    if (search.found.size < maxKept) search.found.set(first, found);
  }
  found.count += 1;
  if (found.places.length < maxPlaces) found.places.push({ ...place, inside });
  countPattern(search, firstInside, place, inside, isNew);
}

function countPattern(search: Search, firstInside: number, place: Place & Span, inside: string, isNew: boolean): void {
  const key = firstInside * maxInside + numberInside(search, inside);
  let pattern = search.patterns.get(key);
  if (!pattern) {
    if (search.patterns.size >= maxKept) return;
    const first = search.inside[firstInside] ?? '';
    pattern = { first, again: inside, count: 0, wasted: 0, distinct: 0, place };
    search.patterns.set(key, pattern);
  }
  pattern.count += 1;
  pattern.wasted += place.end - place.start;
  if (isNew) pattern.distinct += 1;
}

/** The row that holds this byte. */
function rowAt({ rows }: Flight, byte: number): number {
  let low = 0;
  let high = rows.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows.starts[middle] ?? 0) <= byte) low = middle;
    else high = middle - 1;
  }
  return low;
}
