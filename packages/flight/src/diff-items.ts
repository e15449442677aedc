import { readContent, type DiffNode } from './diff-side.ts';

/**
 * Which item of one list corresponds to which of the other. Items with a key are matched by type and key, wherever they
 * moved; items without one by their content. What was matched and kept its order divides both lists into stretches; in each,
 * what is left is matched in order: the same content first, then the same element type, then one text with another.
 */
export type ItemMatch = {
  before: DiffNode | undefined;
  after: DiffNode | undefined;
  /** Its place in the list it is in now, or was in. */
  index: number;
  /** Matched, and not in the longest run of items that kept their order, where the order says something. */
  isMoved: boolean;
};

type Lists = {
  before: readonly DiffNode[];
  after: readonly DiffNode[];
  /** For each item of `after`, its partner's index in `before`; -1 for none. */
  matchOf: Int32Array;
  isTaken: Uint8Array;
};

export function matchItems(before: readonly DiffNode[], after: readonly DiffNode[]): ItemMatch[] {
  const lists: Lists = {
    before,
    after,
    matchOf: new Int32Array(after.length).fill(-1),
    isTaken: new Uint8Array(before.length),
  };
  const own = before.map((item) => nameContent(item, before.length + after.length));
  const others = after.map((item) => nameContent(item, before.length + after.length));
  matchUnique(lists, own, others);
  const stayed = findStayed(lists.matchOf);
  matchStretches(lists, stayed, own, others);
  matchStretches(lists, stayed, before.map(nameType), after.map(nameType));
  matchRest(lists, own, others);
  return listMatches(lists, stayed);
}

/** `size`: with one item on each side there is nothing to look for, and content need not be read. */
function nameContent(item: DiffNode, size: number): string {
  if (item.isKeyed) return `key ${item.match}`;
  return item.scalar === undefined ? `content ${size > 2 ? readContent(item) : item.match}` : `scalar ${item.scalar}`;
}

/** What two items that differ must have in common to be one that changed. A key that is gone is another item. */
function nameType(item: DiffNode): string {
  if (item.isKeyed) return `key ${item.match}`;
  return item.scalar === undefined ? item.match : 'scalar';
}

function take({ matchOf, isTaken }: Lists, from: number, to: number): void {
  matchOf[to] = from;
  isTaken[from] = 1;
}

/** Pairs items whose name is there once in either list; a key that is there several times, in order. */
function matchUnique(lists: Lists, own: readonly string[], others: readonly string[]): void {
  const waiting = new Map<string, number[]>();
  for (const [index, name] of own.entries()) {
    const list = waiting.get(name);
    if (list) list.push(index);
    else waiting.set(name, [index]);
  }
  const counts = new Map<string, number>();
  for (const name of others) counts.set(name, (counts.get(name) ?? 0) + 1);
  const used = new Map<string, number>();
  for (const [index, name] of others.entries()) {
    const list = waiting.get(name);
    const isKeyed = lists.after[index]?.isKeyed ?? false;
    if (!list || (!isKeyed && (list.length > 1 || counts.get(name) !== 1))) continue;
    const next = used.get(name) ?? 0;
    used.set(name, next + 1);
    const from = list[next];
    if (from !== undefined) take(lists, from, index);
  }
}

/** 1 for each item that is in the longest run of matched items which kept its order. */
function findStayed(matchOf: Int32Array): Uint8Array {
  const stayed = new Uint8Array(matchOf.length);
  /** The item that ends the best run of each length, and before each item, the one before it in its run. */
  const ends: number[] = [];
  const previous = new Int32Array(matchOf.length).fill(-1);
  for (const [index, from] of matchOf.entries()) {
    if (from < 0) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((matchOf[ends[middle] ?? 0] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) stayed[index] = 1;
  return stayed;
}

/** Matches items with equal names, in order, in each stretch between items that stayed. What is matched here has stayed, too. */
function matchStretches(lists: Lists, stayed: Uint8Array, own: readonly string[], others: readonly string[]): void {
  const { before, after, matchOf } = lists;
  let from = 0;
  let to = 0;
  for (let index = 0; index <= after.length; index++) {
    const isEnd = index === after.length;
    if (!isEnd && stayed[index] !== 1) continue;
    const anchor = isEnd ? before.length : (matchOf[index] ?? 0);
    matchStretch(lists, stayed, { from, fromEnd: anchor, to, toEnd: index, own, others });
    from = anchor + 1;
    to = index + 1;
  }
}

type Stretch = {
  from: number;
  fromEnd: number;
  to: number;
  toEnd: number;
  own: readonly string[];
  others: readonly string[];
};

function matchStretch(lists: Lists, stayed: Uint8Array, stretch: Stretch): void {
  const { own, others } = stretch;
  let { from, fromEnd, to, toEnd } = stretch;
  const { isTaken, matchOf } = lists;
  function tryPair(a: number, b: number): boolean {
    if (own[a] !== others[b] || isTaken[a] === 1 || (matchOf[b] ?? 0) >= 0) return false;
    take(lists, a, b);
    stayed[b] = 1;
    return true;
  }
  while (from < fromEnd && to < toEnd && tryPair(from, to)) {
    from += 1;
    to += 1;
  }
  while (from < fromEnd && to < toEnd && tryPair(fromEnd - 1, toEnd - 1)) {
    fromEnd -= 1;
    toEnd -= 1;
  }
  if (from === fromEnd || to === toEnd) return;
  const places = new Map<string, { indexes: number[]; next: number }>();
  for (let index = from; index < fromEnd; index++) {
    if (isTaken[index] === 1) continue;
    const name = own[index] ?? '';
    const list = places.get(name);
    if (list) list.indexes.push(index);
    else places.set(name, { indexes: [index], next: 0 });
  }
  let last = -1;
  for (let index = to; index < toEnd; index++) {
    const list = places.get(others[index] ?? '');
    if (!list) continue;
    // An item before the last pair can no longer be matched in order.
    while ((list.indexes[list.next] ?? Infinity) <= last) list.next += 1;
    const partner = list.indexes[list.next];
    if (partner !== undefined && tryPair(partner, index)) last = partner;
  }
}

/** What is on both sides with the same content, and found no partner in order: it moved. */
function matchRest(lists: Lists, own: readonly string[], others: readonly string[]): void {
  const waiting = new Map<string, number[]>();
  for (let index = own.length - 1; index >= 0; index--) {
    if (lists.isTaken[index] === 1) continue;
    const name = own[index] ?? '';
    const list = waiting.get(name);
    if (list) list.push(index);
    else waiting.set(name, [index]);
  }
  for (const [index, name] of others.entries()) {
    if ((lists.matchOf[index] ?? 0) >= 0) continue;
    const from = waiting.get(name)?.pop();
    if (from !== undefined) take(lists, from, index);
  }
}

function listMatches({ before, after, matchOf, isTaken }: Lists, stayed: Uint8Array): ItemMatch[] {
  const matches = after.map((item, index): ItemMatch => {
    const from = matchOf[index] ?? -1;
    return {
      before: before[from],
      after: item,
      index,
      isMoved: from >= 0 && stayed[index] !== 1 && item.entryName === undefined,
    };
  });
  for (const [index, item] of before.entries()) {
    if (isTaken[index] !== 1) matches.push({ before: item, after: undefined, index, isMoved: false });
  }
  return matches;
}
