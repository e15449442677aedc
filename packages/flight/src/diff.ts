import { attributeBytes, type Attribution } from './attribution.ts';
import { matchItems } from './diff-items.ts';
import { createDiffSide, type DiffNode, type DiffSide, type DiffValue } from './diff-side.ts';
import type { Flight } from './flight.ts';
import { guessFramework } from './framework.ts';
import type { Place } from './place.ts';

/**
 * Two payloads compared as trees. Row ids change from render to render, so they are not compared: references, lazy rows
 * and promises are followed, and a place is named by its path. Elements are matched by type and key, and
 * without keys by their order; objects by key. Linear but for keyed lists (n log n); cut at `maxCompared` values.
 *
 * Waku does not send parts of a page that the browser already has (its etags). So a part that only one response has is
 * listed as not sent, not as added or removed.
 */
export type FlightDiff = {
  entries: readonly DiffEntry[];
  /** Of all differences, those not listed included. */
  counts: Readonly<Record<DiffEntry['kind'], number>>;
  /** Bytes of what was added and removed, whole changed values on either side included. */
  addedBytes: number;
  removedBytes: number;
  /** Parts of the page that one of the two does not carry. */
  notSent: readonly { key: string; missingIn: 'before' | 'after'; bytes: number; place: Place }[];
  /** More differences than are listed, or values than are compared. */
  isCut: boolean;
};

export type DiffEntry = {
  kind: 'added' | 'removed' | 'changed' | 'moved';
  /** From the root: keys, positions, and elements as `<li key="3">`. */
  path: readonly string[];
  before: DiffValue | undefined;
  after: DiffValue | undefined;
};

/** Differences listed; the rest is counted. */
const maxEntries = 2000;

/** Pairs of values that are compared. In practice the largest payload that is read has fewer. */
const maxCompared = 2_000_000;

/** Parts of a path that are listed; deeper ones show their end. */
const maxPath = 60;

type Path = { name: string; outer: Path } | undefined;
type Pair = { before: DiffNode; after: DiffNode; path: Path };

type Diff = {
  before: DiffSide;
  after: DiffSide;
  entries: DiffEntry[];
  counts: Record<DiffEntry['kind'], number>;
  addedBytes: number;
  removedBytes: number;
  notSent: { key: string; missingIn: 'before' | 'after'; bytes: number; place: Place }[];
  todo: Pair[];
  seen: Set<string>;
  hasParts: boolean;
};

/** Compares two flights, in bytes of either payload. `attributions`: where they are known already. */
export function diffFlights(
  before: Flight,
  after: Flight,
  attributions: { before: Attribution; after: Attribution } = {
    before: attributeBytes(before),
    after: attributeBytes(after),
  },
): FlightDiff {
  const diff: Diff = {
    before: createDiffSide(before, attributions.before),
    after: createDiffSide(after, attributions.after),
    entries: [],
    counts: { added: 0, removed: 0, changed: 0, moved: 0 },
    addedBytes: 0,
    removedBytes: 0,
    notSent: [],
    todo: [],
    seen: new Set(),
    hasParts: guessFramework(before)?.guess === 'waku' && guessFramework(after)?.guess === 'waku',
  };
  comparePair(diff, { before: diff.before.root, after: diff.after.root, path: undefined });
  let compared = 1;
  for (let pair = diff.todo.pop(); pair && compared < maxCompared; pair = diff.todo.pop()) {
    compared += 1;
    comparePair(diff, pair);
  }
  const { entries, counts, addedBytes, removedBytes, notSent } = diff;
  const total = counts.added + counts.removed + counts.changed + counts.moved;
  const isCut = total > entries.length || compared >= maxCompared;
  return { entries, counts, addedBytes, removedBytes, notSent, isCut };
}

function listPath(path: Path): string[] {
  const names: string[] = [];
  for (let at = path; at && names.length < maxPath; at = at.outer) names.unshift(at.name);
  return names;
}

function addEntry(diff: Diff, kind: DiffEntry['kind'], path: Path, before?: DiffNode, after?: DiffNode): void {
  diff.counts[kind] += 1;
  if (kind !== 'moved') {
    diff.removedBytes += before?.bytes ?? 0;
    diff.addedBytes += after?.bytes ?? 0;
  }
  if (diff.entries.length >= maxEntries) return;
  const sides = { before: before && diff.before.describe(before), after: after && diff.after.describe(after) };
  diff.entries.push({ kind, path: listPath(path), ...sides });
}

/** Compares two values. What is in them goes onto the stack of pairs, the first pair last, so that it is next. */
function comparePair(diff: Diff, { before, after, path }: Pair): void {
  if (before.scalar !== undefined || after.scalar !== undefined) {
    if (before.scalar !== after.scalar) addEntry(diff, 'changed', path, before, after);
    return;
  }
  // A payload may refer to itself, and a shared value is compared once.
  const key = `${before.id} ${after.id}`;
  if (diff.seen.has(key)) return;
  diff.seen.add(key);
  if (before.kind !== after.kind || before.signature !== after.signature) {
    addEntry(diff, 'changed', path, before, after);
    return;
  }
  const pairs = before.kind === 'array' ? pairItems(diff, before, after, path) : pairMembers(diff, before, after, path);
  for (const pair of pairs.toReversed()) diff.todo.push(pair);
}

/** An object's members, or an element's props, by key; the last of a key that is there twice counts. */
function pairMembers(diff: Diff, before: DiffNode, after: DiffNode, outer: Path): Pair[] {
  const isRoot = outer === undefined && before.kind === 'object' && diff.hasParts;
  const own = new Map(diff.before.readMembers(before));
  const others = new Map(diff.after.readMembers(after));
  const pairs: Pair[] = [];
  for (const [name, value] of own) {
    const path = pathTo(outer, before, name);
    const other = others.get(name);
    if (other) pairs.push({ before: value, after: other, path });
    else if (isRoot) addNotSent(diff, name, 'after', value);
    else addEntry(diff, 'removed', path, value);
  }
  for (const [name, value] of others) {
    if (own.has(name)) continue;
    if (isRoot) addNotSent(diff, name, 'before', value);
    else addEntry(diff, 'added', pathTo(outer, after, name), undefined, value);
  }
  return pairs;
}

/** `children` is no part of a path: to a reader, children are the element's content. */
function pathTo(outer: Path, node: DiffNode, name: string): Path {
  return node.kind === 'element' && name === 'children' ? outer : { name, outer };
}

function addNotSent(diff: Diff, key: string, missingIn: 'before' | 'after', { bytes, place }: DiffNode): void {
  if (diff.notSent.length < maxEntries) diff.notSent.push({ key, missingIn, bytes, place });
}

function pairItems(diff: Diff, before: DiffNode, after: DiffNode, outer: Path): Pair[] {
  const own = diff.before.readItems(before);
  const others = diff.after.readItems(after);
  const pairs: Pair[] = [];
  for (const match of matchItems(own, others)) {
    const item = match.after ?? match.before;
    const name = item?.label ?? String(match.index);
    const path = { name, outer };
    if (match.before && match.after) {
      if (match.isMoved) addEntry(diff, 'moved', path, match.before, match.after);
      pairs.push({ before: match.before, after: match.after, path });
    } else if (match.before) addEntry(diff, 'removed', path, match.before);
    else addEntry(diff, 'added', path, undefined, match.after);
  }
  return pairs;
}
