import { attributeBytes, type Attribution } from './attribution.ts';
import { listCauses, type DiffCause } from './diff-causes.ts';
import { createGatherer, type DiffGroup, type DiffKind, type Gatherer, type OwnSum, type Path } from './diff-groups.ts';
import { matchItems } from './diff-items.ts';
import { findOwnData, nextFrames, type OwnData } from './diff-own-data.ts';
import {
  createDiffSide,
  idOf,
  placeOf,
  readItemsOf,
  readMembers,
  type DiffBudget,
  type DiffNode,
} from './diff-side.ts';
import type { Flight } from './flight.ts';
import { guessFramework } from './framework.ts';
import type { Framework } from './frameworks/framework-records.ts';
import type { Place } from './place.ts';

/**
 * Two payloads compared as trees. Row ids change from render to render, so they are not compared: references, lazy rows
 * and promises are followed, and a place is named by its path. Elements are matched by type and key, other items of lists by
 * their content, objects and Maps by key. Linear but for lists (n log n); cut where the budget of values is spent.
 *
 * Waku does not send parts of a page that the browser already has (its etags). So a part that only one response has is
 * listed as not sent, not as added or removed.
 */
export type FlightDiff = {
  /** The Flight sizes of both. */
  bytes: { before: number; after: number };
  /** Which elements account for the difference of the sizes: these add up to it. */
  causes: readonly DiffCause[];
  /** The same change at several places is one group; the heaviest first, and those in the framework's own data last. */
  groups: readonly DiffGroup[];
  /** The differences in the framework's own data: all of them, listed or not. Undefined when its data is not known. */
  own: (OwnSum & { framework: Framework }) | undefined;
  /** What was counted and is not in `groups`. */
  unlisted: { groups: number; differences: number; bytes: number };
  /** Of all differences. */
  counts: Readonly<Record<DiffKind, number>>;
  /** Bytes of what was added and removed, whole changed values on either side included. */
  addedBytes: number;
  removedBytes: number;
  /** Parts of the page that one of the two does not carry. */
  notSent: readonly { key: string; missingIn: 'before' | 'after'; bytes: number; place: Place }[];
  /** There are more values than are compared. */
  isCut: boolean;
};

/** Parts of a page that were not sent and are listed: a page has a few. */
const maxNotSent = 1000;

/** Values of either payload. In practice the largest payload that is read has fewer. */
const mostValues = 2_000_000;

/** `isNamed`: the path ends with the element itself. */
type Pair = { before: DiffNode; after: DiffNode; path: Path; isNamed: boolean };

type Diff = {
  gatherer: Gatherer;
  ownData: OwnData | undefined;
  counts: Record<DiffKind, number>;
  addedBytes: number;
  removedBytes: number;
  notSent: { key: string; missingIn: 'before' | 'after'; bytes: number; place: Place }[];
  todo: Pair[];
  seen: Set<string>;
  /** Of both payloads. */
  budgets: readonly [DiffBudget, DiffBudget];
  hasParts: boolean;
};

export type DiffOptions = {
  /** Where they are known already. */
  attributions?: { before: Attribution; after: Attribution };
  /** Values of either payload that are read, some 0.3 kB each. */
  values?: number;
};

/** Compares two flights, in bytes of either payload. */
export function diffFlights(before: Flight, after: Flight, options: DiffOptions = {}): FlightDiff {
  const { values = mostValues } = options;
  const attributions = options.attributions ?? { before: attributeBytes(before), after: attributeBytes(after) };
  const seed = Math.floor(Math.random() * 2 ** 32);
  const ownData = findOwnData(before, after);
  const keyless = ownData ? nextFrames : undefined;
  const diff: Diff = {
    ownData,
    gatherer: createGatherer(),
    counts: { added: 0, removed: 0, changed: 0, moved: 0 },
    addedBytes: 0,
    removedBytes: 0,
    notSent: [],
    todo: [],
    seen: new Set(),
    budgets: [{ left: values }, { left: values }],
    hasParts: guessFramework(before)?.guess === 'waku' && guessFramework(after)?.guess === 'waku',
  };
  const [own, others] = diff.budgets;
  comparePair(diff, {
    before: createDiffSide(before, { attribution: attributions.before, seed, keyless, budget: own }).root,
    after: createDiffSide(after, { attribution: attributions.after, seed, keyless, budget: others }).root,
    path: undefined,
    isNamed: false,
  });
  for (let pair = diff.todo.pop(); pair && !isSpent(diff); pair = diff.todo.pop()) comparePair(diff, pair);
  const { gatherer, counts, addedBytes, removedBytes, notSent } = diff;
  const isCut = isSpent(diff);
  const { own: ownSum, ...gathered } = gatherer.read();
  return {
    bytes: { before: before.bytes.length, after: after.bytes.length },
    causes: listCauses(attributions.before, attributions.after),
    ...gathered,
    own: ownData && { framework: ownData.framework, ...ownSum },
    counts,
    addedBytes,
    removedBytes,
    notSent,
    isCut,
  };
}

/** From here on nothing is compared: of a list that was read to its half, the rest would be told as removed. */
function isSpent({ budgets }: Diff): boolean {
  return budgets.some(({ left }) => left <= 0);
}

function addDifference(diff: Diff, kind: DiffKind, path: Path, before?: DiffNode, after?: DiffNode): void {
  diff.counts[kind] += 1;
  // Its path and its group.
  for (const budget of diff.budgets) budget.left -= 2;
  if (kind !== 'moved') {
    diff.removedBytes += before?.bytes ?? 0;
    diff.addedBytes += after?.bytes ?? 0;
  }
  const isOwnData =
    diff.ownData?.isOwn(
      path,
      [before, after].filter((node) => node !== undefined),
    ) === true;
  diff.gatherer.add({ kind, isOwnData, path, before, after });
}

/** Compares two values. What is in them goes onto the stack of pairs, the first pair last, so that it is next. */
function comparePair(diff: Diff, { before, after, path: outer, isNamed }: Pair): void {
  const path = isNamed ? outer : pathToElement(outer, before);
  if (before.scalar !== undefined || after.scalar !== undefined) {
    if (before.scalar !== after.scalar) addDifference(diff, 'changed', path, before, after);
    return;
  }
  // A payload may refer to itself, and a shared value is compared once.
  const key = `${idOf(before)} ${idOf(after)}`;
  if (diff.seen.has(key)) return;
  diff.seen.add(key);
  if (before.kind !== after.kind || before.signature !== after.signature) {
    addDifference(diff, 'changed', path, before, after);
    return;
  }
  const pairs = before.kind === 'array' ? pairItems(diff, before, after, path) : pairMembers(diff, before, after, path);
  for (const pair of pairs.toReversed()) diff.todo.push(pair);
}

/** An object's members, or an element's props, by key; the last of a key that is there twice counts. */
function pairMembers(diff: Diff, before: DiffNode, after: DiffNode, outer: Path): Pair[] {
  const isRoot = outer === undefined && diff.hasParts;
  const own = new Map(readMembers(before));
  const others = new Map(readMembers(after));
  if (isSpent(diff)) return [];
  const partners = isRoot ? pairParts(own, others) : new Map<string, string>();
  const paired = new Set(partners.values());
  const pairs: Pair[] = [];
  for (const [name, value] of own) {
    const path = pathTo(outer, before, name);
    const other = others.get(partners.get(name) ?? name);
    if (other) pairs.push({ before: value, after: other, path, isNamed: false });
    else if (isRoot) addNotSent(diff, name, 'after', value);
    else addDifference(diff, 'removed', pathToElement(path, value), value);
  }
  for (const [name, value] of others) {
    if (own.has(name) || paired.has(name)) continue;
    if (isRoot) addNotSent(diff, name, 'before', value);
    else addDifference(diff, 'added', pathToElement(pathTo(outer, after, name), value), undefined, value);
  }
  return pairs;
}

/**
 * Waku names the parts of a page by what they are and their route (`page:/blog`). Of two routes the only part of a kind that
 * has no partner of its name is compared with the other side's.
 */
function pairParts(own: ReadonlyMap<string, DiffNode>, others: ReadonlyMap<string, DiffNode>): Map<string, string> {
  const lone = listLoneParts(own, others);
  const otherLone = listLoneParts(others, own);
  const partners = new Map<string, string>();
  for (const [kind, name] of lone) {
    const other = otherLone.get(kind);
    if (name !== undefined && other !== undefined) partners.set(name, other);
  }
  return partners;
}

/** Lists by kind the one part that the other side lacks; undefined when there are several. */
function listLoneParts(own: ReadonlyMap<string, DiffNode>, others: ReadonlyMap<string, DiffNode>) {
  const lone = new Map<string, string | undefined>();
  for (const name of own.keys()) {
    const [kind = '', route] = name.split(':', 2);
    if (route === undefined || others.has(name)) continue;
    lone.set(kind, lone.has(kind) ? undefined : name);
  }
  return lone;
}

/** `children` is no part of a path: to a reader, children are the element's content. */
function pathTo(outer: Path, node: DiffNode, name: string): Path {
  return node.kind === 'element' && name === 'children' ? outer : { name, kind: 'name', outer };
}

function pathToElement(outer: Path, { kind, label }: DiffNode): Path {
  return kind === 'element' ? { name: label ?? '', kind, outer } : outer;
}

/** An item that is an element is named by it, and not by its position. */
function pathToItem(outer: Path, item: DiffNode | undefined, index: number): Path {
  if (item?.kind === 'element' && item.entryName === undefined) return pathToElement(outer, item);
  const path: Path = { name: item?.entryName ?? String(index), kind: 'position', outer };
  return item ? pathToElement(path, item) : path;
}

function addNotSent(diff: Diff, key: string, missingIn: 'before' | 'after', node: DiffNode): void {
  if (diff.notSent.length >= maxNotSent) return;
  diff.notSent.push({ key, missingIn, bytes: node.bytes, place: placeOf(node) });
}

function pairItems(diff: Diff, before: DiffNode, after: DiffNode, outer: Path): Pair[] {
  const own = readItemsOf(before);
  const others = readItemsOf(after);
  // Of lists that were read in part the same number is compared: what is missing was not read.
  const count = isSpent(diff) ? Math.min(own.length, others.length) : Infinity;
  const pairs: Pair[] = [];
  for (const match of matchItems(own.slice(0, count), others.slice(0, count))) {
    const path = pathToItem(outer, match.after ?? match.before, match.index);
    if (match.before && match.after) {
      if (match.isMoved) addDifference(diff, 'moved', path, match.before, match.after);
      pairs.push({ before: match.before, after: match.after, path, isNamed: true });
    } else if (match.before) addDifference(diff, 'removed', path, match.before);
    else addDifference(diff, 'added', path, undefined, match.after);
  }
  return pairs;
}
