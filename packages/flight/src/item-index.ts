import { itemsEnd, kindAt, nextAt, objectKind, type Tape } from './tape.ts';

/**
 * Where the items of large containers are. On the tape an item is found by going past those before it, so reading a list
 * of 100,000 page by page would go past five million. The first reader of a large container notes every 256th place, in
 * one pass; from then on any item is at most 255 steps away. That costs a word for 256 items, and small containers have none.
 */
type ItemIndex = { readonly count: number; readonly places: readonly number[] };

const step = 256;

/** Words of a container that is gone through each time: a few microseconds. */
const smallWords = 2048;

const indexes = new WeakMap<Tape, Map<number, ItemIndex>>();

/** The item after this one. The entry of an object is a key, in two words, and its value. */
function nextItem(tape: Tape, at: number, isObject: boolean): number {
  return nextAt(tape, isObject ? at + 2 : at);
}

function buildIndex(tape: Tape, container: number, end: number): ItemIndex {
  const isObject = kindAt(tape, container) === objectKind;
  const places: number[] = [];
  let count = 0;
  for (let at = container + 2; at < end; at = nextItem(tape, at, isObject)) {
    if (count % step === 0) places.push(at);
    count += 1;
  }
  return { count, places };
}

function readIndex(tape: Tape, container: number, end: number): ItemIndex {
  const known = indexes.get(tape) ?? new Map<number, ItemIndex>();
  indexes.set(tape, known);
  const index = known.get(container) ?? buildIndex(tape, container, end);
  known.set(container, index);
  return index;
}

/** How many items or entries the array or object at a place of the tape has; it is not an empty one. */
export function countItems(tape: Tape, container: number): number {
  const end = itemsEnd(tape, container);
  const isLarge = end - container > smallWords;
  return isLarge ? readIndex(tape, container, end).count : buildIndex(tape, container, end).count;
}

/** The place of the item or entry with this number; where the items end for one that there is not. */
export function seekItem(tape: Tape, container: number, item: number): number {
  const end = itemsEnd(tape, container);
  const isObject = kindAt(tape, container) === objectKind;
  let at = container + 2;
  let left = item;
  if (item >= step && end - container > smallWords) {
    const { places } = readIndex(tape, container, end);
    at = places[Math.floor(item / step)] ?? end;
    left = item % step;
  }
  for (; left > 0 && at < end; left--) at = nextItem(tape, at, isObject);
  return at;
}
