import { hashBytes, mixHash } from './byte-hash.ts';
import { partAt } from './element-names.ts';
import type { Flight } from './flight.ts';
import { markPageRows } from './promised-rows.ts';
import { readHeader } from './row-index.ts';
import { isOfPage, rowTagOf } from './row-tags.ts';
import {
  arrayKind,
  codedKind,
  elementKind,
  endAt,
  itemsEnd,
  kindAt,
  nextAt,
  objectKind,
  plainKind,
  startAt,
} from './tape.ts';

/**
 * Which values of a payload are the same, byte for byte. Every value that is long enough gets a class: a number, equal for
 * equal values and for no others. A hash finds the candidates in a table that grows; then their bytes decide, so the
 * result is exact and does not depend on the seed.
 *
 * Classes are given from the inside out. A container is hashed and compared as the classes of what is in it and the bytes
 * between them, so each byte is hashed once, and compared once with each candidate, however deep it lies: linear in the
 * payload.
 *
 * Memory: four bytes for each word of the tape and each row, and 20 to 40 bytes for each class.
 */
export type EqualValues = {
  /** The class of an item; 0 for what is too short, or not of the page. */
  classOf: Uint32Array;
  /** Classes are 1 to `count`. */
  count: number;
  /** By class: its first item in the order of the bytes, and how many items it has. */
  firsts: Uint32Array;
  counts: Uint32Array;
  /** More classes than `maxClasses`: values that came first after those have none. */
  isCut: boolean;
};

/**
 * What is compared is an item, a number: the place of a value on the tape, or the tape's size + a row of text or binary.
 */
export function rowItem(flight: Flight, row: number): number {
  return flight.tape.size + row;
}

/** Strings from 16 characters on: React 19.3 outlines those in module rows, for its own reference costs about as much as less. */
const minStringBytes = 18;

/** Structures from this many bytes on: a short element is as long as what would refer to it. */
export const minStructureBytes = 32;

/**
 * 42 MB of memory. A page of 5 MB has about 120 000 classes; to reach this takes one of 40 MB or more in which nothing repeats.
 */
const maxClasses = 2_000_000;

export type EqualValuesOptions = {
  seed?: number;
  maxClasses?: number;
  /** The bits of a hash that are used: with fewer, a test sees that the bytes decide. */
  hashMask?: number;
};

type Table = EqualValues & {
  flight: Flight;
  seed: number;
  maxClasses: number;
  hashMask: number;
  /** By class. */
  hashes: Uint32Array;
  /** The hash table: classes, each at its hash or in the next free slot after it. At most half full. */
  slots: Uint32Array;
};

/** The seed is new each time, so that nobody can write a payload whose values all have one hash. */
export function findEqualValues(flight: Flight, options: EqualValuesOptions = {}): EqualValues {
  const { rows, tape } = flight;
  const table: Table = {
    flight,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 32),
    maxClasses: options.maxClasses ?? maxClasses,
    hashMask: options.hashMask ?? -1,
    classOf: new Uint32Array(tape.size + rows.count),
    count: 0,
    firsts: new Uint32Array(1024),
    counts: new Uint32Array(1024),
    hashes: new Uint32Array(1024),
    slots: new Uint32Array(2048),
    isCut: false,
  };
  const pageRows = markPageRows(flight);
  for (let row = 0; row < rows.count; row++) {
    if (pageRows?.[row] === 0) continue;
    const model = rows.models[row] ?? 0;
    const header = readHeader(rows, row);
    const rowTag = rowTagOf(header.tag);
    if (model !== 0) {
      if (isOfPage(rowTag)) classifyModel(table, model - 1);
    } else if (rowTag.role === 'text' || rowTag.role === 'binary') {
      const { payloadStart, payloadEnd } = header;
      if (payloadEnd - payloadStart < minStringBytes) continue;
      classify(table, rowItem(flight, row), hashBytes(flight.bytes, payloadStart, payloadEnd, table.seed));
    }
  }
  return table;
}

/** Where the values of a container that are of the page end on the tape: owner and stack of an element are development's. */
export function pageEnd(flight: Flight, container: number): number {
  const isElement = kindAt(flight.tape, container) === elementKind;
  return (isElement ? partAt(flight, container, 4) : undefined) ?? itemsEnd(flight.tape, container);
}

function isString(kind: number): boolean {
  return kind === plainKind || kind === codedKind;
}

/** `from`: the first byte that is not in the hash yet. A small one has no class, and is plain bytes to what holds it. */
type Open = { at: number; end: number; from: number; hash: number; isSmall: boolean };

function classifyModel(table: Table, root: number): void {
  const { flight, seed } = table;
  const { tape, bytes } = flight;
  const open: Open[] = [];
  let at = root;
  for (;;) {
    let top = open.at(-1);
    while (top && at >= top.end) {
      open.pop();
      const outer = open.at(-1);
      if (!top.isSmall) addToHash(outer, flight, top.at, closeContainer(table, top));
      at = nextAt(tape, top.at);
      top = outer;
    }
    if (!top && at > root) return;
    const kind = kindAt(tape, at);
    if (kind === arrayKind || kind === objectKind || kind === elementKind) {
      const from = startAt(tape, at);
      const isSmall = endAt(tape, at, bytes) - from < minStructureBytes;
      open.push({ at, end: pageEnd(flight, at), from, hash: seed ^ 0x5bd1e995, isSmall });
      at += 2;
      continue;
    }
    if (isString(kind)) {
      const start = startAt(tape, at);
      const end = endAt(tape, at, bytes);
      const isLong = end - start >= minStringBytes;
      if (isLong) addToHash(top, flight, at, classify(table, at, hashBytes(bytes, start, end, seed)));
    }
    if (!top) return;
    at = nextAt(tape, at);
  }
}

/** Adds to a container's hash the bytes before a value in it, and the value's class in the place of its bytes. */
function addToHash(container: Open | undefined, { tape, bytes }: Flight, at: number, valueClass: number): void {
  if (!container) return;
  const before = hashBytes(bytes, container.from, startAt(tape, at), container.hash);
  container.hash = mixHash(before ^ Math.imul(valueClass, 0x9e3779b1));
  container.from = endAt(tape, at, bytes);
}

function closeContainer(table: Table, { at, from, hash }: Open): number {
  const { tape, bytes } = table.flight;
  return classify(table, at, hashBytes(bytes, from, endAt(tape, at, bytes), hash));
}

/** The class of an item, a new one for the first of its kind; 0 when there are too many. */
function classify(table: Table, item: number, wholeHash: number): number {
  const { slots, hashes, firsts, counts } = table;
  const hash = (wholeHash & table.hashMask) >>> 0;
  let slot = hash & (slots.length - 1);
  for (let known = slots[slot] ?? 0; known !== 0; known = slots[slot] ?? 0) {
    if (hashes[known] === hash && isSame(table, firsts[known] ?? 0, item)) {
      counts[known] = (counts[known] ?? 0) + 1;
      table.classOf[item] = known;
      return known;
    }
    slot = (slot + 1) & (slots.length - 1);
  }
  if (table.count === table.maxClasses) {
    table.isCut = true;
    return 0;
  }
  const added = ++table.count;
  slots[slot] = added;
  hashes[added] = hash;
  firsts[added] = item;
  counts[added] = 1;
  table.classOf[item] = added;
  if ((added + 1) * 2 >= slots.length) grow(table);
  return added;
}

function grow(table: Table): void {
  const size = table.slots.length * 2;
  const { hashes, firsts, counts } = table;
  table.slots = new Uint32Array(size);
  table.hashes = new Uint32Array(size / 2);
  table.firsts = new Uint32Array(size / 2);
  table.counts = new Uint32Array(size / 2);
  table.hashes.set(hashes);
  table.firsts.set(firsts);
  table.counts.set(counts);
  for (let entry = 1; entry <= table.count; entry++) {
    let slot = (hashes[entry] ?? 0) & (size - 1);
    while (table.slots[slot] !== 0) slot = (slot + 1) & (size - 1);
    table.slots[slot] = entry;
  }
}

function isSame(table: Table, known: number, item: number): boolean {
  const { flight } = table;
  const { tape, rows, bytes } = flight;
  if (item >= tape.size || known >= tape.size) {
    if (item < tape.size || known < tape.size) return false;
    const a = readHeader(rows, known - tape.size);
    const b = readHeader(rows, item - tape.size);
    const length = a.payloadEnd - a.payloadStart;
    return length === b.payloadEnd - b.payloadStart && hasSameBytes(bytes, a.payloadStart, b.payloadStart, length);
  }
  const start = startAt(tape, item);
  const length = endAt(tape, item, bytes) - start;
  const knownStart = startAt(tape, known);
  if (endAt(tape, known, bytes) - knownStart !== length) return false;
  return isString(kindAt(tape, item))
    ? hasSameBytes(bytes, knownStart, start, length)
    : hasSameParts(table, known, item);
}

/**
 * Whether two containers of one length are the same: values of the same class at the same places, and the same bytes
 * between them. Equal bytes have equal words on the tape, so what is in both is as far from either's first word.
 */
function hasSameParts({ flight, classOf }: Table, known: number, item: number): boolean {
  const { tape, bytes } = flight;
  const start = startAt(tape, item);
  const shift = start - startAt(tape, known);
  const end = pageEnd(flight, item);
  let from = start;
  for (let at = item + 2; at < end; at = nextAt(tape, at)) {
    const valueClass = classOf[at] ?? 0;
    if (valueClass === 0) continue;
    const other = at - item + known;
    const valueStart = startAt(tape, at);
    if (classOf[other] !== valueClass || startAt(tape, other) !== valueStart - shift) return false;
    if (!hasSameBytes(bytes, from - shift, from, valueStart - from)) return false;
    from = endAt(tape, at, bytes);
  }
  return hasSameBytes(bytes, from - shift, from, endAt(tape, item, bytes) - from);
}

function hasSameBytes(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (bytes[a + at] !== bytes[b + at]) return false;
  return true;
}
