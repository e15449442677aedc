import {
  createItemReader,
  hasItems,
  kindOf,
  listItems,
  namesOf,
  placeOfItem,
  readLikeness,
  reveal,
  rowItem,
  sizeOf,
  type ByteItem,
  type ByteSums,
  type ItemKind,
  type ItemReader,
  type Revealed,
} from './byte-items.ts';
import { asFolds, foldAlike, mergeInside, type Fold } from './byte-folds.ts';
import type { Flight } from './flight.ts';
import { formatCount } from './format-numbers.ts';
import { pack, unpack, type PackedItems } from './packed-items.ts';
import type { Place } from './place.ts';
import { readRowTag } from './row-index.ts';
import type { RowRole } from './row-tags.ts';

/**
 * The payload as a tree of bytes, for a treemap: elements within elements, props, items, with each row under its first
 * user. Children add up to their parent, so leaves add up to the payload.
 *
 * - Siblings that are alike are one node, `<li> × 8,500`, and what is in them is folded in the same way: `<a> × 8,500`.
 * - A chain of nodes with nothing, or next to nothing, beside each link is one node: the outermost, with the chain as its name.
 * - The largest nodes are opened first, until there are `maxNodes`. What is not opened has its whole size, and everything
 *   that `createByteOpener` needs to open it: nothing is cut.
 */
export type ByteNode = {
  name: string;
  kind: 'payload' | 'group' | 'range' | 'itself' | 'others' | ItemKind;
  bytes: number;
  place: Place | undefined;
  /** How many values it stands for: more than one when siblings are folded into it. */
  count: number;
  /** The names of the levels it stands for, the outermost first, when it is a chain; else empty. */
  chain: readonly string[];
  children: ByteNode[];
  /** Whether there is something inside that is not in `children` yet. */
  isClosed: boolean;
  /** The items that it stands for, as long as they are needed: to open it, or to list what is folded. */
  items: PackedItems | undefined;
  /** How many items of a longer list come before them. */
  from: number;
};

/** More rectangles than a person can tell apart. */
const defaultMaxNodes = 2000;

/** Children of one node; the smaller ones become one node that says how many they are, and can be opened. */
const maxChildren = 150;

/**
 * A chain's box has the bytes of its outermost link, so each link must be nearly all of them: this share at least, with at
 * most `besideShare` in what stands beside the links. What is missing is the structure of the links.
 */
const chainShare = 0.9;

/** More than this can be seen beside a link, and would be drawn as if it were inside the innermost one. */
const besideShare = 0.02;

/** Between the names of a chain. */
const linkMark = ' › ';

/**
 * Folded nodes are opened until they stand for so many items: the picture of a large list needs its first level, and each
 * level costs a look at all that is in the list. What is beyond stays closed until somebody opens it.
 */
const maxMerged = 10_000;

/** The most names of a chain that are kept. Arrays can be nested ten thousand deep. */
const maxChain = 40;

/** The tree of a flight from its attribution, of about `maxNodes` nodes (2000). */
export function buildByteTree(flight: Flight, sums: ByteSums, maxNodes = defaultMaxNodes): ByteNode {
  const reader = createItemReader(flight, sums);
  const root = makeNode('payload', 'payload', sums.total, undefined);
  root.children = makeTop(reader);
  if (sums.rest > 0) root.children.push(makeNode('itself', 'unread', sums.rest, undefined));
  grow(reader, root.children, maxNodes - root.children.length);
  return root;
}

export type ByteOpener = {
  /** A copy of a closed node with what is inside, about `maxNodes` nodes (2000). */
  readonly open: (node: ByteNode, maxNodes?: number) => ByteNode;
  /** A copy of a folded node with what is folded into it, one by one, or in ranges when there is much. */
  readonly unfold: (node: ByteNode) => ByteNode;
};

/** Opens what `buildByteTree` left closed. */
export function createByteOpener(flight: Flight, sums: ByteSums): ByteOpener {
  const reader = createItemReader(flight, sums);
  return {
    open: (node, maxNodes = defaultMaxNodes) => {
      const copy = { ...node };
      grow(reader, [copy], maxNodes);
      return copy;
    },
    unfold: (node) => {
      const copy = { ...node };
      setChildren(copy, listPlain(reader, unpack(node.items), node.from), []);
      return copy;
    },
  };
}

function makeNode(kind: ByteNode['kind'], name: string, bytes: number, place: Place | undefined): ByteNode {
  return { name, kind, bytes, place, count: 1, chain: [], children: [], isClosed: false, items: undefined, from: 0 };
}

/** Opens the largest nodes first, until there are `maxNodes` more. */
function grow(reader: ItemReader, nodes: readonly ByteNode[], maxNodes: number): void {
  const open = nodes.filter(({ isClosed }) => isClosed);
  let merged = 0;
  for (let count = 0; count < maxNodes;) {
    const next = takeLargest(open);
    if (!next) return;
    if (isFold(next)) {
      // What is asked for is opened whatever it costs.
      if (merged > 0 && merged + next.count > maxMerged) continue;
      merged += next.count;
    }
    openNode(reader, next);
    count += next.children.length;
    // Ranges are drawn alike, without what is in them: the nodes are better spent elsewhere.
    for (const child of next.children) if (child.isClosed && child.kind !== 'range') open.push(child);
  }
}

/** Whether siblings, or what is in siblings, are folded into it. */
function isFold({ kind, count }: ByteNode): boolean {
  return count > 1 && kind !== 'group' && kind !== 'others' && kind !== 'range';
}

function takeLargest(open: ByteNode[]): ByteNode | undefined {
  let largest = -1;
  for (const [index, { bytes }] of open.entries()) {
    if (largest < 0 || bytes > (open[largest]?.bytes ?? 0)) largest = index;
  }
  return largest < 0 ? undefined : open.splice(largest, 1)[0];
}

/** What rows that nothing leads to are called together, where their tag says why. */
const groupNames: Partial<Record<RowRole, string>> = {
  module: 'client modules nothing uses',
  hint: 'hints',
  error: 'errors',
  debug: 'development',
};

/** The root, and in groups the rows that nothing leads to. */
function makeTop(reader: ItemReader): ByteNode[] {
  const { flight, sums } = reader;
  const ofRoot = new Set(flight.root === undefined ? [] : reader.streamOf(flight.root));
  const groups = new Map<string, ByteItem[]>();
  for (let row = 0; row < flight.rows.count; row++) {
    if (sums.firstUse[row] !== 0 || ofRoot.has(row)) continue;
    const name = groupNames[readRowTag(flight.rows, row).role] ?? 'rows nothing leads to';
    const group = groups.get(name);
    if (group) group.push(rowItem(row));
    else groups.set(name, [rowItem(row)]);
  }
  const top = Array.from(ofRoot, (row) => makeSingle(reader, rowItem(row)));
  for (const [name, items] of groups) top.push(makeList(reader, 'group', name, items));
  return top;
}

function makeSingle(reader: ItemReader, item: ByteItem): ByteNode {
  const revealed = reveal(reader, item);
  const node = makeNode(
    kindOf(reader, item, revealed),
    namesOf(reader, item, revealed).join(linkMark),
    sizeOf(reader, item),
    placeOfItem(reader, item),
  );
  if (hasItems(reader, revealed)) {
    node.isClosed = true;
    node.items = pack([item]);
  }
  return node;
}

/** A node that stands for several items. */
function makeList(
  reader: ItemReader,
  kind: ByteNode['kind'],
  name: string,
  items: readonly ByteItem[],
  from = 0,
): ByteNode {
  const bytes = items.reduce((sum, item) => sum + sizeOf(reader, item), 0);
  const node = makeNode(kind, name, bytes, items[0] && placeOfItem(reader, items[0]));
  node.count = items.length;
  node.items = pack(items);
  node.isClosed = true;
  node.from = from;
  return node;
}

/** Moves what is inside a node to its children. A folded node keeps its items: `unfold` lists them. */
function openNode(reader: ItemReader, node: ByteNode): void {
  const items = unpack(node.items);
  const [first] = items;
  node.isClosed = false;
  if (isFold(node)) {
    setChildren(node, listLargest(reader, mergeInside(reader, items)), []);
    return;
  }
  node.items = undefined;
  const isOne = node.kind !== 'others' && node.kind !== 'range' && node.kind !== 'group';
  if (first && isOne) openSingle(reader, node, first);
  else if (node.kind === 'range') setChildren(node, listPlain(reader, items, node.from), []);
  else if (node.kind === 'others' && items.length > maxChildren) {
    setChildren(node, listPlain(reader, items, node.from), []);
  } else {
    const folds = foldAlike(reader, items, maxChildren);
    // A group of one kind of row has said so already.
    setChildren(node, listLargest(reader, folds.length === 1 ? asFolds(items) : folds), []);
  }
}

/** Items one by one, or in ranges when there are too many. */
function listPlain(reader: ItemReader, items: readonly ByteItem[], from: number): ByteNode[] {
  if (items.length > maxChildren) return listRanges(reader, items, from);
  return items.map((item) => makeSingle(reader, item));
}

function setChildren(node: ByteNode, children: readonly ByteNode[], left: readonly ByteNode[]): void {
  node.children = [...children, ...left].filter(({ bytes }) => bytes > 0);
  const itself = node.bytes - node.children.reduce((sum, child) => sum + child.bytes, 0);
  if (itself > 0 && node.children.length > 0) node.children.push(makeNode('itself', 'itself', itself, node.place));
}

/** Opens one item, and with it the chain that begins there. */
function openSingle(reader: ItemReader, node: ByteNode, item: ByteItem): void {
  const left: ByteItem[] = [];
  let besideBytes = 0;
  let revealed = reveal(reader, item);
  const chain = namesOf(reader, item, revealed);
  for (;;) {
    const items = listItems(reader, revealed);
    const next = findNextLink(reader, node, items, besideBytes);
    if (!next) {
      nameChain(node, chain);
      const rest = left.length === 0 ? [] : [makeRest(reader, left)];
      setChildren(node, listLargest(reader, foldAlike(reader, items, maxChildren)), rest);
      return;
    }
    for (const other of items) if (other !== next.item) left.push(other);
    besideBytes += next.besideBytes;
    revealed = next.revealed;
    addLink(reader, chain, next);
  }
}

type Link = {
  readonly item: ByteItem;
  readonly revealed: Revealed;
  readonly kind: ItemKind;
  /** The bytes of the other items beside it. */
  readonly besideBytes: number;
};

/**
 * The item that is nearly all of the chain that begins at `node`, when more is inside it. Props within props are no wrappers
 * of an element: the first element begins a chain of its own, and no element may stand beside the props. In Next.js a page
 * and its layout are such neighbours: one chain to the page would hold the layout, which is around it on the screen.
 */
function findNextLink(
  reader: ItemReader,
  node: ByteNode,
  items: readonly ByteItem[],
  before: number,
): Link | undefined {
  const item = items.find((one) => sizeOf(reader, one) >= node.bytes * chainShare);
  const revealed = item && reveal(reader, item);
  if (!item || !revealed || revealed.at < 0 || !hasItems(reader, revealed)) return undefined;
  const kind = kindOf(reader, item, revealed);
  const besideBytes = items.reduce((sum, one) => sum + sizeOf(reader, one), 0) - sizeOf(reader, item);
  if (before + besideBytes > mostBeside(node)) return undefined;
  if (node.kind === 'element') return { item, revealed, kind, besideBytes };
  const isApart = kind === 'element' || items.some((one) => one !== item && holdsElement(reader, one));
  return isApart ? undefined : { item, revealed, kind, besideBytes };
}

/** Next.js has about five values in an empty slot beside a page. Where there are more, there may be an element. */
const maxLookedAt = 20;

function holdsElement(reader: ItemReader, item: ByteItem): boolean {
  const open = [item];
  let count = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const revealed = reveal(reader, next);
    if (kindOf(reader, next, revealed) === 'element' || ++count > maxLookedAt) return true;
    for (const inner of listItems(reader, revealed).slice(0, maxLookedAt)) open.push(inner);
  }
  return false;
}

/**
 * Says how many bytes may stand beside the link of a chain. An object without a name is named by its members, and a chain through one would
 * hide them.
 */
function mostBeside({ kind, bytes }: ByteNode): number {
  return kind === 'element' || kind === 'prop' ? bytes * besideShare : 0;
}

/** Arrays and objects without a name say nothing in a chain. */
function addLink(reader: ItemReader, chain: string[], { item, revealed, kind }: Link): void {
  if (kind === 'value' || chain.length >= maxChain) return;
  chain.push(...namesOf(reader, item, revealed));
}

/** Elements say most: the props between them, and Fragments inside of another element, are in `chain` only. */
function nameChain(node: ByteNode, chain: readonly string[]): void {
  if (chain.join(linkMark) === node.name) return;
  node.chain = chain;
  const elements = chain.filter((name) => name.startsWith('<'));
  // The bytes are those of the first, so it stays.
  const told = elements.length === 0 ? chain : elements.filter((name, at) => at === 0 || name !== '<Fragment>');
  node.name = told.length > 3 ? [told[0], '…', told.at(-1)].join(linkMark) : told.join(linkMark);
}

/** What stands beside a chain's links. */
function makeRest(reader: ItemReader, items: readonly ByteItem[]): ByteNode {
  return makeList(reader, 'others', 'beside this chain', items);
}

/** A node for each fold; of more than `maxChildren` the largest, and one for the smaller ones. */
function listLargest(reader: ItemReader, folds: readonly Fold[]): ByteNode[] {
  const sized = folds.map((fold) => ({ fold, bytes: fold.reduce((sum, item) => sum + sizeOf(reader, item), 0) }));
  const shown = sized.filter(({ bytes }) => bytes > 0);
  if (shown.length <= maxChildren) return shown.map(({ fold }) => makeFold(reader, fold));
  const smaller = new Set(shown.toSorted((a, b) => b.bytes - a.bytes).slice(maxChildren - 1));
  const nodes = shown.filter((one) => !smaller.has(one)).map(({ fold }) => makeFold(reader, fold));
  const others = shown.filter((one) => smaller.has(one)).flatMap(({ fold }) => fold);
  return [...nodes, makeList(reader, 'others', `${formatCount(others.length)} smaller ones`, others)];
}

function makeFold(reader: ItemReader, fold: Fold): ByteNode {
  const [first] = fold;
  if (!first || fold.length === 1) return first ? makeSingle(reader, first) : makeList(reader, 'others', '', []);
  const revealed = reveal(reader, first);
  const name = readLikeness(reader, first, revealed)?.name ?? namesOf(reader, first, revealed)[0] ?? '';
  return makeList(reader, kindOf(reader, first, revealed), `${name} × ${formatCount(fold.length)}`, fold);
}

/** A long list in pieces of a round length: `1 to 100`, `101 to 200`. */
function listRanges(reader: ItemReader, items: readonly ByteItem[], from: number): ByteNode[] {
  let length = 100;
  while (items.length / length > maxChildren) length *= 10;
  const ranges: ByteNode[] = [];
  for (let index = 0; index < items.length; index += length) {
    const part = items.slice(index, index + length);
    const name = `${formatCount(from + index + 1)} to ${formatCount(from + index + part.length)}`;
    ranges.push(makeList(reader, 'range', name, part, from + index));
  }
  return ranges;
}
