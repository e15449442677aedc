import { readDollar, type DollarForm } from './dollar.ts';
import type { Flight } from './flight.ts';
import { countItems, seekItem } from './item-index.ts';
import {
  arrayKind,
  codedDollarKind,
  dollarKind,
  elementKind,
  emptyArrayKind,
  emptyObjectKind,
  endAt,
  falseKind,
  itemsEnd,
  kindAt,
  nextAt,
  nullKind,
  numberKind,
  objectKind,
  startAt,
  trueKind,
  type Tape,
} from './tape.ts';
import { readNumber, readString } from './value-text.ts';

/**
 * Decoded values: tagged, made when asked for, each with the range of its bytes. Containers are shallow (ask `readItems`,
 * `readEntries`, `readElement`), so looking at a window of a large payload costs the window. Keys are text and are never
 * assigned to an object: `__proto__` is a key like any other here. (React's client drops it.)
 */
export type Value = Place & Content;

type Place = {
  /** The number of the row it is in (its position, not its id). */
  row: number;
  /** Its bytes, `[start, end)`, counted from the start of the flight. */
  start: number;
  end: number;
  /** Its place on the tape. */
  at: number;
};

export type Content =
  | { kind: 'null' }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'array' }
  | { kind: 'object' }
  | { kind: 'element' }
  | DollarForm;

export type Entry = { key: string; keyStart: number; keyEnd: number; value: Value };

/** Development adds the component that made it, the call stack, and whether keys were checked. */
export type ElementParts = {
  type: Value;
  key: Value | undefined;
  props: Value | undefined;
  owner: Value | undefined;
  stack: Value | undefined;
  validated: Value | undefined;
};

function readContent(flight: Flight, at: number): Content {
  switch (kindAt(flight.tape, at)) {
    case nullKind:
      return { kind: 'null' };
    case trueKind:
      return { kind: 'boolean', value: true };
    case falseKind:
      return { kind: 'boolean', value: false };
    case numberKind:
      return { kind: 'number', value: readNumber(flight, at) };
    case dollarKind:
    case codedDollarKind:
      return readDollar(readString(flight, at), flight.direction);
    case arrayKind:
    case emptyArrayKind:
      return { kind: 'array' };
    case objectKind:
    case emptyObjectKind:
      return { kind: 'object' };
    case elementKind:
      return { kind: 'element' };
    default:
      return { kind: 'string', value: readString(flight, at) };
  }
}

/** The value at a place of the tape, which belongs to row `row`. */
export function readValue(flight: Flight, row: number, at: number): Value {
  const start = startAt(flight.tape, at);
  return { row, start, end: endAt(flight.tape, at, flight.bytes), at, ...readContent(flight, at) };
}

/** The items of an array (an element's own array too), from `from`, at most `count`; none for other values. */
export function readItems(flight: Flight, value: Value, from = 0, count = Infinity): Value[] {
  const kind = kindAt(flight.tape, value.at);
  if (kind !== arrayKind && kind !== elementKind) return [];
  const items: Value[] = [];
  const end = itemsEnd(flight.tape, value.at);
  let at = seekItem(flight.tape, value.at, from);
  for (; at < end && items.length < count; at = nextAt(flight.tape, at)) items.push(readValue(flight, value.row, at));
  return items;
}

/** The entries of an object in the order sent, duplicates included; none for other values. */
export function readEntries(flight: Flight, value: Value, from = 0, count = Infinity): Entry[] {
  const { tape } = flight;
  if (kindAt(tape, value.at) !== objectKind) return [];
  const entries: Entry[] = [];
  const end = itemsEnd(tape, value.at);
  for (let at = seekItem(tape, value.at, from); at < end && entries.length < count; at = nextAt(tape, at + 2)) {
    const keyStart = startAt(tape, at);
    const keyEnd = endAt(tape, at, flight.bytes);
    entries.push({ key: readString(flight, at), keyStart, keyEnd, value: readValue(flight, value.row, at + 2) });
  }
  return entries;
}

/** How many items or entries a container has; 0 for other values. */
export function countChildren(flight: Flight, value: Value): number {
  const { tape } = flight;
  const kind = kindAt(tape, value.at);
  return kind === objectKind || kind === arrayKind || kind === elementKind ? countItems(tape, value.at) : 0;
}

/** An element's parts. A missing type (a broken payload) is the `"$"` mark itself. */
export function readElement(flight: Flight, value: Value): ElementParts {
  const [mark = value, type, key, props, owner, stack, validated] = readItems(flight, value, 0, 7);
  return { type: type ?? mark, key, props, owner, stack, validated };
}

/** Words of an object whose keys are read each time. A larger one is indexed: a hundred thousand references by path may look into it. */
const smallWords = 512;

const keyPlaces = new WeakMap<Tape, Map<number, ReadonlyMap<string, number>>>();

/** Where the values of a large object are, by their keys. Of a key that is there twice the last counts, as for JSON.parse. */
function indexKeys(flight: Flight, container: number, end: number): ReadonlyMap<string, number> {
  const { tape } = flight;
  const known = keyPlaces.get(tape) ?? new Map<number, ReadonlyMap<string, number>>();
  keyPlaces.set(tape, known);
  const index = known.get(container);
  if (index) return index;
  const places = new Map<string, number>();
  for (let at = container + 2; at < end; at = nextAt(tape, at + 2)) places.set(readString(flight, at), at + 2);
  known.set(container, places);
  return places;
}

function findValueAt(flight: Flight, container: number, key: string): number | undefined {
  const { tape } = flight;
  const end = itemsEnd(tape, container);
  if (end - container > smallWords) return indexKeys(flight, container, end).get(key);
  let found: number | undefined;
  for (let at = container + 2; at < end; at = nextAt(tape, at + 2)) if (readString(flight, at) === key) found = at + 2;
  return found;
}

/** The value of an object's last entry with this key, as JSON.parse would keep it; undefined when there is none. */
export function findEntry(flight: Flight, value: Value, key: string): Value | undefined {
  const at = kindAt(flight.tape, value.at) === objectKind ? findValueAt(flight, value.at, key) : undefined;
  return at === undefined ? undefined : readValue(flight, value.row, at);
}
