import type { Attribution } from './attribution.ts';
import { readDollar } from './dollar.ts';
import { createElementNames, partAt, type ElementNames } from './element-names.ts';
import type { Flight } from './flight.ts';
import { placeOf, type Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { readTargetId } from './promised-rows.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { readRow } from './row.ts';
import { readStreams } from './streams.ts';
import {
  arrayKind,
  codedDollarKind,
  dollarKind,
  elementKind,
  isStringKind,
  itemsEnd,
  kindAt,
  nextAt,
  nullKind,
  numberKind,
  objectKind,
  startAt,
} from './tape.ts';
import { readValue } from './value.ts';
import { readString } from './value-text.ts';

/**
 * The items of the byte tree (byte-tree.ts): rows, values, and props with their names. What is inside an item is listed only
 * when somebody opens it, and its name is read only when it is shown: a list of a million items costs a million triples of
 * numbers.
 */
export type ByteItem = {
  readonly row: number;
  /** Its place on the tape; -1 for a whole row. */
  readonly at: number;
  /** The place of its name, for a prop, an object's entry and a Map's entry; -1 for others. */
  readonly nameAt: number;
};

/** What the tree needs of an attribution. All of it can be sent to and from a worker. */
export type ByteSums = Pick<Attribution, 'total' | 'rest' | 'rowTotals' | 'firstUse' | 'totals'>;

export type ItemReader = {
  readonly flight: Flight;
  readonly sums: ByteSums;
  readonly names: ElementNames;
  /** The row, and the others of its id when it starts a stream. */
  readonly streamOf: (row: number) => number[];
};

/** Keys longer than this are cut in a node's name. */
const maxName = 80;

/** Keys of an object that are compared: objects of one list seldom differ in their first ones. */
const maxKeys = 12;

export function createItemReader(flight: Flight, sums: ByteSums): ItemReader {
  const streams = readStreams(flight);
  function streamOf(row: number): number[] {
    const stream = streams.get(readHeader(flight.rows, row).id);
    if (stream?.start !== row) return [row];
    return stream.end === undefined ? [row, ...stream.items] : [row, ...stream.items, stream.end];
  }
  return { flight, sums, names: createElementNames(flight), streamOf };
}

export function rowItem(row: number): ByteItem {
  return { row, at: -1, nameAt: -1 };
}

/** Counts an item's bytes, with those of the rows whose first user is in it. */
export function sizeOf({ sums }: ItemReader, { row, at }: ByteItem): number {
  return (at < 0 ? sums.rowTotals[row] : sums.totals[at]) ?? 0;
}

export function placeOfItem({ flight }: ItemReader, { row, at }: ByteItem): Place {
  return at < 0 ? { row } : placeOf(flight, row, at);
}

function isDollar(flight: Flight, at: number): boolean {
  const kind = kindAt(flight.tape, at);
  return kind === dollarKind || kind === codedDollarKind;
}

/** As they are sent, with their quotes. */
const childrenKey = new TextEncoder().encode('"children"');
const classNameKey = new TextEncoder().encode('"className"');

/** Compares bytes: text is read forward, and each look back costs a piece of the payload decoded again (value-text.ts). */
function isKey({ bytes, tape }: Flight, at: number, key: Uint8Array): boolean {
  const start = startAt(tape, at);
  for (let index = 0; index < key.length; index++) if (bytes[start + index] !== key[index]) return false;
  return true;
}

function isElement(flight: Flight, at: number): boolean {
  return kindAt(flight.tape, at) === elementKind;
}

/** The rows whose first user is the reference at this place. */
function rowsUsedAt({ flight, sums, streamOf }: ItemReader, at: number): number[] {
  const id = readTargetId(readDollar(readString(flight, at), flight.direction));
  const row = id === undefined ? undefined : findRow(flight.rows, id);
  return row === undefined || sums.firstUse[row] !== at + 1 ? [] : streamOf(row);
}

/** What stands in a row or at the end of references; `isMap` when it is the row of a Map's entries. */
export type Revealed = { readonly row: number; readonly at: number; readonly isMap: boolean };

/**
 * What an item is, behind references to rows of which it is the first user: an element that came late stands where it is
 * used. It ends, because a row has one first user, and that one was met before the row.
 */
export function reveal(reader: ItemReader, item: ByteItem): Revealed {
  const { flight } = reader;
  let { row, at } = item;
  let isMap = false;
  for (;;) {
    if (at < 0) {
      const model = flight.rows.models[row] ?? 0;
      if (model === 0 || readRowTag(flight.rows, row).role !== 'model') return { row, at: -1, isMap };
      at = model - 1;
    }
    if (!isDollar(flight, at)) return { row, at, isMap };
    const used = rowsUsedAt(reader, at);
    const [next] = used;
    if (next === undefined || used.length > 1) return { row, at, isMap: false };
    isMap = readDollar(readString(flight, at), flight.direction).kind === 'map';
    row = next;
    at = -1;
  }
}

/** Whether `listItems` has any. */
export function hasItems(reader: ItemReader, { row, at }: Revealed): boolean {
  const { flight } = reader;
  if (at < 0) return (flight.rows.models[row] ?? 0) !== 0;
  const kind = kindAt(flight.tape, at);
  if (kind === dollarKind || kind === codedDollarKind) return rowsUsedAt(reader, at).length > 0;
  return kind === arrayKind || kind === objectKind || kind === elementKind;
}

/** What is inside. What is in none of them (brackets, keys, an element's type) is its own. */
export function listItems(reader: ItemReader, { row, at, isMap }: Revealed): ByteItem[] {
  const { flight } = reader;
  if (at < 0) {
    const model = flight.rows.models[row] ?? 0;
    return model === 0 ? [] : listItems(reader, { row, at: model - 1, isMap: false });
  }
  if (isElement(flight, at)) return listElement(reader, row, at);
  switch (kindAt(flight.tape, at)) {
    case elementKind:
    case arrayKind:
      return isMap ? listPairs(flight, row, at) : listArray(flight, row, at);
    case objectKind:
      return listEntries(flight, row, at);
    case dollarKind:
    case codedDollarKind:
      return rowsUsedAt(reader, at).map(rowItem);
    default:
      return [];
  }
}

function listArray({ tape }: Flight, row: number, array: number): ByteItem[] {
  const items: ByteItem[] = [];
  const end = itemsEnd(tape, array);
  for (let at = array + 2; at < end; at = nextAt(tape, at)) items.push({ row, at, nameAt: -1 });
  return items;
}

/** The entries of a Map, which is sent as an array of pairs; what is no pair stays an item. */
function listPairs(flight: Flight, row: number, array: number): ByteItem[] {
  const { tape } = flight;
  return listArray(flight, row, array).map((item) => {
    if (kindAt(tape, item.at) !== arrayKind) return item;
    const [key, value, more] = listArray(flight, row, item.at);
    return key && value && !more ? { row, at: value.at, nameAt: key.at } : item;
  });
}

/** The values of an object. Its keys are its own bytes. */
function listEntries({ tape }: Flight, row: number, object: number): ByteItem[] {
  const entries: ByteItem[] = [];
  const end = itemsEnd(tape, object);
  for (let key = object + 2; key < end; key = nextAt(tape, key + 2)) entries.push({ row, at: key + 2, nameAt: key });
  return entries;
}

/** The row of its type when it is that row's first user, its props, and in the place of `children` the items of the list. */
function listElement(reader: ItemReader, row: number, element: number): ByteItem[] {
  const { flight } = reader;
  const type = partAt(flight, element, 1);
  const props = partAt(flight, element, 3);
  const items = type !== undefined && isDollar(flight, type) ? rowsUsedAt(reader, type).map(rowItem) : [];
  if (props === undefined) return items;
  if (kindAt(flight.tape, props) !== objectKind) return [...items, { row, at: props, nameAt: -1 }];
  for (const entry of listEntries(flight, row, props)) {
    if (!isKey(flight, entry.nameAt, childrenKey)) items.push(entry);
    else if (kindAt(flight.tape, entry.at) !== arrayKind) items.push({ ...entry, nameAt: -1 });
    // No spread: a list may have more items than a call may have arguments.
    else for (const child of listArray(flight, row, entry.at)) items.push(child);
  }
  return items;
}

export type ItemKind = 'prop' | 'row' | 'element' | 'value';

export function kindOf({ flight }: ItemReader, { nameAt }: ByteItem, { at }: Revealed): ItemKind {
  if (at >= 0 && isElement(flight, at)) return 'element';
  if (nameAt >= 0) return 'prop';
  return at < 0 ? 'row' : 'value';
}

/** Names an item in a few words: `data`, `<li>`, `{id, name}`, `client Counter`; and `fallback`, `<p>` for an element that is a prop. */
export function namesOf({ flight, names }: ItemReader, item: ByteItem, { row, at }: Revealed): string[] {
  const element = at >= 0 && isElement(flight, at) ? [`<${names.typeOf(row, at).name}>`] : [];
  if (item.nameAt >= 0) return [readName(flight, item), ...element];
  if (element.length > 0) return element;
  return [at < 0 ? printRow(flight, readRow(flight, row)) : printValue(flight, readValue(flight, row, at))];
}

/** A key of an object, or of a Map, where it may be any value. */
function readName(flight: Flight, { row, nameAt }: ByteItem): string {
  const isText = isStringKind(kindAt(flight.tape, nameAt)) && !isDollar(flight, nameAt);
  return isText ? readString(flight, nameAt).slice(0, maxName) : printValue(flight, readValue(flight, row, nameAt));
}

/** What siblings are folded by, and what they are called together. */
type Likeness = { readonly key: string; readonly name: string };

/**
 * What an item has in common with its like among its siblings. Elements of a list have keys: those of one type are alike.
 * Without a key two elements of one type may be a page's head and its body, so their class names must be equal, too; not
 * when `byTypeAlone`. Undefined for what has a name of its own.
 */
export function readLikeness(
  { flight, names }: ItemReader,
  { nameAt }: ByteItem,
  revealed: Revealed,
  byTypeAlone = false,
): Likeness | undefined {
  const { row, at } = revealed;
  if (nameAt >= 0) return undefined;
  if (at < 0) {
    const { tag, name } = readRowTag(flight.rows, row);
    return { key: `row ${tag}`, name };
  }
  if (isElement(flight, at)) {
    const { name } = names.typeOf(row, at);
    return { key: `${name} ${byTypeAlone ? '' : readIdentity(flight, at)}`, name: `<${name}>` };
  }
  const kind = kindAt(flight.tape, at);
  if (kind === objectKind) {
    const keys = listEntries(flight, row, at)
      .slice(0, maxKeys)
      .map((entry) => readString(flight, entry.nameAt).slice(0, maxName));
    return { key: `object ${keys.join(' ')}`, name: printValue(flight, readValue(flight, row, at)) };
  }
  if (kind === arrayKind) return { key: 'array', name: 'Array' };
  if (isDollar(flight, at)) return { key: 'reference', name: 'reference' };
  if (isStringKind(kind)) return { key: 'text', name: 'text' };
  return kind === numberKind ? { key: 'number', name: 'number' } : { key: 'other', name: 'value' };
}

/**
 * What an item is folded by with its like in other elements of one list: a prop by its name, an element by its type, its
 * class names besides (an item's badge and its price may both be `<span>`).
 */
export function readMergeKey(reader: ItemReader, item: ByteItem): string {
  return item.nameAt >= 0
    ? `.${readName(reader.flight, item)}`
    : (readLikeness(reader, item, reveal(reader, item))?.key ?? '');
}

/** `keyed`, or the class name of an element without a key. */
function readIdentity(flight: Flight, element: number): string {
  const key = partAt(flight, element, 2);
  if (key !== undefined && kindAt(flight.tape, key) !== nullKind) return 'keyed';
  const props = partAt(flight, element, 3);
  if (props === undefined || kindAt(flight.tape, props) !== objectKind) return '';
  for (const { at, nameAt } of listEntries(flight, 0, props)) {
    if (isKey(flight, nameAt, classNameKey) && isStringKind(kindAt(flight.tape, at))) {
      return readString(flight, at).slice(0, maxClassName);
    }
  }
  return '';
}

/** Characters: enough to tell two lists of class names apart. */
const maxClassName = 300;
