import {
  byteKindNames,
  type Attribution,
  byteKinds,
  type ByteKind,
  buildByteTree,
  type ByteNode,
  type ElementKind,
  type Flight,
  type Place,
  printRow,
  readRow,
  type RowRole,
  formatCount,
} from '#flight';

import { nameRow } from '../row-name.ts';
import { describeTag, readRowTable, tagOf } from '../row-table.ts';

/**
 * The payload's bytes in four orders. Each is a tree whose children add up to their parent, and has every byte once:
 * see attribution.ts.
 */
export type ByteViews = Readonly<Record<ByteViewId, MapNode>>;

export type ByteViewId = 'nesting' | 'elements' | 'kinds' | 'rows';

/** One rectangle of the map. */
export type MapNode = {
  readonly name: string;
  /** What it is, for the legend. `tone` is its colour in the legend and in the map. */
  readonly what: string;
  readonly tone: RowRole;
  readonly bytes: number;
  readonly place: Place | undefined;
  readonly children: readonly MapNode[];
};

/**
 * Children of one node. More rectangles would be too small to see, so the rest becomes one, which says how many it
 * stands for.
 */
const maxChildren = 150;

function keepLargest(nodes: readonly MapNode[]): MapNode[] {
  const sorted = nodes.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
  const others = sorted.splice(sorted.length > maxChildren ? maxChildren - 1 : sorted.length);
  return others.length === 0 ? sorted : [...sorted, makeLeaf(`${others.length} more`, sumBytes(others))];
}

function sumBytes(nodes: readonly MapNode[]): number {
  return nodes.reduce((sum, { bytes }) => sum + bytes, 0);
}

function makeLeaf(name: string, bytes: number, place?: Place): MapNode {
  return { name, what: 'the rest', tone: 'debug', bytes, place, children: [] };
}

function makePayload(bytes: number, children: readonly MapNode[]): MapNode {
  return { name: 'payload', what: 'payload', tone: 'debug', bytes, place: undefined, children: keepLargest(children) };
}

function describeNode(flight: Flight, { kind, place }: ByteNode): Pick<MapNode, 'what' | 'tone'> {
  switch (kind) {
    case 'row': {
      if (!place) return { what: 'row', tone: 'model' };
      const { name, kind: tone } = describeTag(tagOf(readRowTable(flight), place.row));
      return tone === 'model' ? { what: 'row', tone: 'hint' } : { what: name, tone };
    }
    case 'element':
      return { what: 'element', tone: 'model' };
    case 'prop':
      return { what: 'prop', tone: 'stream' };
    case 'value':
      return { what: 'text and values', tone: 'text' };
    case 'payload':
    case 'group':
      return { what: 'group', tone: 'hint' };
    case 'itself':
    case 'others':
      return { what: 'the rest', tone: 'debug' };
  }
}

/**
 * The only child of a row or a reference, apart from the row's own few bytes. The child is shown in its place:
 * otherwise every element that came late would have two frames of the same size around it.
 */
function readOnlyChild({ kind, children }: ByteNode): ByteNode | undefined {
  if (kind !== 'row' && kind !== 'value') return undefined;
  const inner = children.filter((child) => child.kind !== 'itself');
  return inner.length === 1 ? inner[0] : undefined;
}

function convertTree(flight: Flight, node: ByteNode): MapNode {
  let shown = node;
  for (let only = readOnlyChild(shown); only && only.kind !== 'others'; only = readOnlyChild(shown)) shown = only;
  const { bytes } = node;
  const children = shown.children.map((child) => convertTree(flight, child));
  const left = bytes - sumBytes(children);
  if (children.length > 0 && left > 0) children.push(makeLeaf('references and rows’ headers', left, node.place));
  children.sort((a, b) => b.bytes - a.bytes);
  return { name: shown.name, bytes, place: shown.place, children, ...describeNode(flight, shown) };
}

const elementLooks: Record<ElementKind, Pick<MapNode, 'what' | 'tone'>> = {
  host: { what: 'HTML element', tone: 'model' },
  client: { what: 'client component', tone: 'module' },
  react: { what: 'of React', tone: 'stream' },
  other: { what: 'other', tone: 'hint' },
};

/** The bytes of each kind of element, and inside it the bytes of its props. */
function readElementView({ total, elements, props, outside }: Attribution): MapNode {
  const propsOf = new Map<string, MapNode[]>();
  for (const { element, prop, bytes, count, largest } of props) {
    const list = propsOf.get(element) ?? [];
    propsOf.set(element, list);
    const name = count === 1 ? prop : `${prop} × ${formatCount(count)}`;
    list.push({ name, what: 'prop', tone: 'text', bytes, place: largest, children: [] });
  }
  const nodes = elements.map(({ name, kind, own, count, places }) => {
    const inner = propsOf.get(name) ?? [];
    const isOnly = elements.filter((other) => other.name === name).length === 1;
    const itself = own - sumBytes(inner);
    const [place] = places;
    const children =
      isOnly && inner.length > 0 ? keepLargest([...inner, makeLeaf('type, key, structure', itself, place)]) : [];
    const shown = `<${name}>${count === 1 ? '' : ` × ${formatCount(count)}`}`;
    return { name: shown, ...elementLooks[kind], bytes: own, place, children };
  });
  return makePayload(total, [...nodes, makeLeaf('outside elements', outside)]);
}

const kindTones: Record<ByteKind, RowRole> = {
  text: 'text',
  data: 'model',
  classes: 'stream',
  structure: 'debug',
  imports: 'module',
  binary: 'binary',
  errors: 'error',
  hints: 'hint',
  debug: 'debug',
  unread: 'error',
};

function readKindView({ total, kinds }: Attribution): MapNode {
  return makePayload(
    total,
    byteKinds.map((kind) => {
      const name = byteKindNames[kind];
      return { name, what: name, tone: kindTones[kind], bytes: kinds[kind], place: undefined, children: [] };
    }),
  );
}

/** The rows as they were sent, by tag. */
function readRowView(flight: Flight, { total, rest }: Attribution): MapNode {
  const table = readRowTable(flight);
  const rowsOf = new Map<string, number[]>();
  for (let row = 0; row < table.count; row++) {
    const tag = tagOf(table, row);
    const rows = rowsOf.get(tag);
    if (rows) rows.push(row);
    else rowsOf.set(tag, [row]);
  }
  const groups = table.kinds.map(({ tag, rows: count, bytes }) => {
    const { name, kind } = describeTag(tag);
    const largest = (rowsOf.get(tag) ?? []).sort((a, b) => (table.sizes[b] ?? 0) - (table.sizes[a] ?? 0));
    const shown = largest.slice(0, count > maxChildren ? maxChildren - 1 : count);
    const children: MapNode[] = shown.map((row) => ({
      name: `${nameRow(flight, row)} ${printRow(flight, readRow(flight, row))}`,
      what: name,
      tone: kind,
      bytes: table.sizes[row] ?? 0,
      place: { row },
      children: [],
    }));
    const left = bytes - sumBytes(children);
    if (left > 0) children.push(makeLeaf(`${formatCount(count - shown.length)} more`, left));
    const title = `${name} × ${formatCount(count)}`;
    return { name: title, what: name, tone: kind, bytes, place: undefined, children };
  });
  return makePayload(total, [...groups, makeLeaf('after the last whole row', rest)]);
}

export function readByteViews(flight: Flight, attribution: Attribution): ByteViews {
  return {
    nesting: convertTree(flight, buildByteTree(flight, attribution)),
    elements: readElementView(attribution),
    kinds: readKindView(attribution),
    rows: readRowView(flight, attribution),
  };
}
