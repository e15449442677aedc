import type { DiffNode } from './diff-side.ts';

/**
 * Which item of one list corresponds to which of the other. Items with a key are matched by type and key, wherever they
 * moved. The others are matched in order: first those that are alike (the same element type, the same text), then what is
 * left, by position.
 */
export type ItemMatch = {
  before: DiffNode | undefined;
  after: DiffNode | undefined;
  /** Its place in the list it is in now, or was in. */
  index: number;
  /** A keyed item that is not in the longest run of items that kept their order. */
  isMoved: boolean;
};

export function matchItems(before: readonly DiffNode[], after: readonly DiffNode[]): ItemMatch[] {
  const matchOf = new Int32Array(after.length).fill(-1);
  const isTaken = new Uint8Array(before.length);
  matchAlike(before, after, matchOf, isTaken);
  for (const [index, item] of after.entries()) {
    const other = before[index];
    const isFree = matchOf[index] === -1 && other !== undefined && isTaken[index] !== 1;
    if (!isFree || item.isKeyed || other.isKeyed || item.kind !== other.kind) continue;
    matchOf[index] = index;
    isTaken[index] = 1;
  }
  const stayed = findStayed(after, matchOf);
  const matches = after.map((item, index): ItemMatch => {
    const from = matchOf[index] ?? -1;
    return { before: before[from], after: item, index, isMoved: from >= 0 && item.isKeyed && stayed[index] !== 1 };
  });
  for (const [index, item] of before.entries()) {
    if (isTaken[index] !== 1) matches.push({ before: item, after: undefined, index, isMoved: false });
  }
  return matches;
}

/** Pairs the items with the same `match`, in their order. */
function matchAlike(
  before: readonly DiffNode[],
  after: readonly DiffNode[],
  matchOf: Int32Array,
  isTaken: Uint8Array,
): void {
  const waiting = new Map<string, { indexes: number[]; next: number }>();
  for (const [index, { match }] of before.entries()) {
    const list = waiting.get(match);
    if (list) list.indexes.push(index);
    else waiting.set(match, { indexes: [index], next: 0 });
  }
  for (const [index, { match }] of after.entries()) {
    const list = waiting.get(match);
    const from = list?.indexes[list.next];
    if (!list || from === undefined) continue;
    list.next += 1;
    matchOf[index] = from;
    isTaken[from] = 1;
  }
}

/** 1 for each keyed item that is in the longest run which kept its order; the others moved. */
function findStayed(after: readonly DiffNode[], matchOf: Int32Array): Uint8Array {
  const stayed = new Uint8Array(after.length);
  /** The item that ends the best run of each length, and before each item, the one before it in its run. */
  const ends: number[] = [];
  const previous = new Int32Array(after.length).fill(-1);
  for (const [index, { isKeyed }] of after.entries()) {
    const from = matchOf[index] ?? -1;
    if (!isKeyed || from < 0) continue;
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
