import { formatCount, type ByteNode, type Place, type RowRole } from '#flight';

/** One rectangle of the map. Its children add up to it. */
export type MapNode = {
  readonly name: string;
  /** The whole name, when `name` leaves something out. */
  readonly title: string;
  /** What it is, for the legend. `tone` is its colour in the legend and in the map. */
  readonly what: string;
  readonly tone: RowRole;
  readonly bytes: number;
  readonly place: Place | undefined;
  readonly children: readonly MapNode[];
  /** What it opens to, when that is not in `children` yet: see open-map-node.ts. */
  readonly inside: MapContents | undefined;
  /** What is folded into it, to be listed one by one. */
  readonly folded: ByteNode | undefined;
  /** Whether it is a range of a longer list. Ranges are drawn in their order, all alike. */
  readonly isRange: boolean;
};

type MapContents =
  | { readonly kind: 'tree'; readonly node: ByteNode }
  /** Rows, the largest first, and how many come before them. */
  | { readonly kind: 'rows'; readonly rows: Int32Array; readonly from: number };

/**
 * Children of one node. More rectangles would be too small to see, so the rest becomes one, which says how many it
 * stands for, and opens.
 */
export const maxChildren = 150;

/** The rest is opened in pieces of this length. */
const rangeLength = 100;

export function sumBytes(nodes: readonly MapNode[]): number {
  return nodes.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function makeLeaf(name: string, bytes: number, place?: Place): MapNode {
  return {
    name,
    title: name,
    what: 'the rest',
    tone: 'debug',
    bytes,
    place,
    children: [],
    inside: undefined,
    folded: undefined,
    isRange: false,
  };
}

/** How a range looks, wherever it is. */
export const rangeLook = { what: 'group', tone: 'hint', isRange: true } as const;

export function makePayload(bytes: number, children: readonly MapNode[]): MapNode {
  return { ...makeLeaf('payload', bytes), what: 'payload', children: keepLargest(children) };
}

/** `101 to 200`: the places of a piece of a long list. */
export function nameRange(from: number, count: number): string {
  return `${formatCount(from + 1)} to ${formatCount(from + count)}`;
}

export function nameSmaller(count: number): string {
  return `${formatCount(count)} smaller ones`;
}

/** The largest first. Of too many, the smaller ones are in one node. */
export function keepLargest(nodes: readonly MapNode[]): MapNode[] {
  const sorted = nodes.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
  if (sorted.length <= maxChildren) return sorted;
  const others = sorted.splice(maxChildren - 1);
  const children = others.length <= maxChildren ? others : cutRanges(others);
  return [...sorted, { ...makeLeaf(nameSmaller(others.length), sumBytes(others)), children }];
}

function cutRanges(nodes: readonly MapNode[]): MapNode[] {
  const ranges: MapNode[] = [];
  for (let from = 0; from < nodes.length; from += rangeLength) {
    const children = nodes.slice(from, from + rangeLength);
    ranges.push({ ...makeLeaf(nameRange(from, children.length), sumBytes(children)), ...rangeLook, children });
  }
  return ranges;
}
