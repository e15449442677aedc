import type { Attribution } from './attribution.ts';
import { createElementNames, partAt, type ElementNames } from './element-names.ts';
import type { Flight } from './flight.ts';
import { placeOf, type Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { readDollar } from './dollar.ts';
import { readTargetId } from './promised-rows.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import type { RowRole } from './row-tags.ts';
import { readRow } from './row.ts';
import { readStreams } from './streams.ts';
import { arrayKind, codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, objectKind } from './tape.ts';
import { readValue } from './value.ts';
import { readString } from './value-text.ts';

/**
 * The payload as a tree of bytes, for a treemap: elements within elements, props, items, with each row under its first
 * user. The largest nodes are opened first, until there are `maxNodes`; what is not opened is a leaf with its whole
 * size. Children add up to their parent, so leaves add up to the payload.
 */
export type ByteNode = {
  name: string;
  kind: 'payload' | 'group' | 'row' | 'element' | 'prop' | 'value' | 'itself' | 'others';
  bytes: number;
  place: Place | undefined;
  children: ByteNode[];
};

/** More rectangles than a person can tell apart. */
const defaultMaxNodes = 2000;

/** Children of one node; the smaller ones become one node that says how many they are. */
const maxChildren = 150;

type Source =
  | { kind: 'row'; row: number }
  | { kind: 'value'; row: number; at: number }
  | { kind: 'rows'; rows: number[] };
type Open = { node: ByteNode; source: Source };
type Builder = { flight: Flight; attribution: Attribution; names: ElementNames; streamOf: (row: number) => number[] };

/** The tree of a flight from its attribution, of at most `maxNodes` nodes (2000). */
export function buildByteTree(flight: Flight, attribution: Attribution, maxNodes = defaultMaxNodes): ByteNode {
  const streams = readStreams(flight);
  /** The row, and the others of its id when it starts a stream. */
  function streamOf(row: number): number[] {
    const stream = streams.get(readHeader(flight.rows, row).id);
    if (stream?.start !== row) return [row];
    return stream.end === undefined ? [row, ...stream.items] : [row, ...stream.items, stream.end];
  }
  const builder: Builder = { flight, attribution, names: createElementNames(flight), streamOf };
  const root = makeNode('payload', 'payload', attribution.total, undefined);
  const open: Open[] = makeTop(builder);
  root.children = open.map(({ node }) => node);
  if (attribution.rest > 0) root.children.push(makeNode('itself', 'unread', attribution.rest, undefined));
  let count = root.children.length + 1;
  while (count < maxNodes) {
    const next = takeLargest(open);
    if (!next) break;
    const children = expand(builder, next.source);
    addChildren(next.node, children);
    count += next.node.children.length;
    const shown = new Set(next.node.children);
    for (const child of children) if (shown.has(child.node)) open.push(child);
  }
  return root;
}

function makeNode(kind: ByteNode['kind'], name: string, bytes: number, place: Place | undefined): ByteNode {
  return { name, kind, bytes, place, children: [] };
}

function takeLargest(open: Open[]): Open | undefined {
  let largest = -1;
  for (const [index, { node }] of open.entries()) {
    if (largest < 0 || node.bytes > (open[largest]?.node.bytes ?? 0)) largest = index;
  }
  return largest < 0 ? undefined : open.splice(largest, 1)[0];
}

function addChildren(node: ByteNode, children: readonly Open[]): void {
  if (children.length === 0) return;
  const nodes = children.map((child) => child.node).filter(({ bytes }) => bytes > 0);
  if (nodes.length > maxChildren) {
    nodes.sort((a, b) => b.bytes - a.bytes);
    const others = nodes.splice(maxChildren - 1);
    const bytes = others.reduce((sum, other) => sum + other.bytes, 0);
    nodes.push(makeNode('others', `${others.length} more`, bytes, others[0]?.place));
  }
  const itself = node.bytes - nodes.reduce((sum, child) => sum + child.bytes, 0);
  if (itself > 0) nodes.push(makeNode('itself', 'itself', itself, node.place));
  node.children = nodes;
}

/** What rows that nothing leads to are called together, where their tag says why. */
const groupNames: Partial<Record<RowRole, string>> = {
  module: 'client modules nothing uses',
  hint: 'hints',
  error: 'errors',
  debug: 'development',
};

/** The root, and in groups the rows that nothing leads to. */
function makeTop(builder: Builder): Open[] {
  const { flight, attribution } = builder;
  const ofRoot = new Set(flight.root === undefined ? [] : builder.streamOf(flight.root));
  const groups = new Map<string, number[]>();
  for (let row = 0; row < flight.rows.count; row++) {
    if (attribution.firstUse[row] !== 0 || ofRoot.has(row)) continue;
    const name = groupNames[readRowTag(flight.rows, row).role] ?? 'rows nothing leads to';
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  const top = Array.from(ofRoot, (row) => openRow(builder, row));
  for (const [name, rows] of groups) {
    const bytes = rows.reduce((sum, row) => sum + (attribution.rowTotals[row] ?? 0), 0);
    top.push({ node: makeNode('group', name, bytes, { row: rows[0] ?? 0 }), source: { kind: 'rows', rows } });
  }
  return top;
}

function openRow(builder: Builder, row: number): Open {
  const { flight, attribution } = builder;
  const name = `row ${readHeader(flight.rows, row).id.toString(16)}: ${printRow(flight, readRow(flight, row))}`;
  return { node: makeNode('row', name, attribution.rowTotals[row] ?? 0, { row }), source: { kind: 'row', row } };
}

function openValue(builder: Builder, row: number, at: number, name?: string): Open {
  const { flight, attribution, names } = builder;
  const isElement = flight.direction === 'response' && kindAt(flight.tape, at) === elementKind;
  let kind: ByteNode['kind'] = isElement ? 'element' : 'value';
  if (name !== undefined) kind = 'prop';
  const shown =
    name ?? (isElement ? `<${names.typeOf(row, at).name}>` : printValue(flight, readValue(flight, row, at)));
  const node = makeNode(kind, shown, attribution.totals[at] ?? 0, placeOf(flight, row, at));
  return { node, source: { kind: 'value', row, at } };
}

function expand(builder: Builder, source: Source): Open[] {
  switch (source.kind) {
    case 'rows':
      return source.rows.map((row) => openRow(builder, row));
    case 'row':
      return expandRow(builder, source.row);
    case 'value':
      return expandValue(builder, source.row, source.at);
  }
}

function expandRow(builder: Builder, row: number): Open[] {
  const model = builder.flight.rows.models[row] ?? 0;
  return model === 0 ? [] : [openValue(builder, row, model - 1)];
}

function expandValue(builder: Builder, row: number, at: number): Open[] {
  const { flight } = builder;
  switch (kindAt(flight.tape, at)) {
    case elementKind:
      return flight.direction === 'response' ? expandElement(builder, row, at) : expandItems(builder, row, at);
    case arrayKind:
      return expandItems(builder, row, at);
    case objectKind:
      return expandEntries(builder, row, at);
    case dollarKind:
    case codedDollarKind:
      return rowsUsedAt(builder, at).map((used) => openRow(builder, used));
    default:
      return [];
  }
}

/** The rows whose first user is the reference at this place. */
function rowsUsedAt({ flight, attribution, streamOf }: Builder, at: number): number[] {
  const id = readTargetId(readDollar(readString(flight, at), flight.direction));
  const row = id === undefined ? undefined : findRow(flight.rows, id);
  return row === undefined || attribution.firstUse[row] !== at + 1 ? [] : streamOf(row);
}

function expandItems(builder: Builder, row: number, array: number): Open[] {
  const { tape } = builder.flight;
  const items: Open[] = [];
  const end = itemsEnd(tape, array);
  for (let at = array + 2; at < end; at = nextAt(tape, at)) items.push(openValue(builder, row, at));
  return items;
}

/** The values of an object. Its keys are its own bytes. */
function expandEntries(builder: Builder, row: number, object: number): Open[] {
  const { flight } = builder;
  const entries: Open[] = [];
  const end = itemsEnd(flight.tape, object);
  for (let key = object + 2; key < end; key = nextAt(flight.tape, key + 2)) {
    entries.push(openValue(builder, row, key + 2, readString(flight, key).slice(0, maxName)));
  }
  return entries;
}

/** Keys longer than this are cut in a node's name. */
const maxName = 80;

/** The row of its type when it is that row's first user, its props, and in the place of `children` the items of the list. */
function expandElement(builder: Builder, row: number, element: number): Open[] {
  const { flight } = builder;
  const type = partAt(flight, element, 1);
  const props = partAt(flight, element, 3);
  const opened: Open[] = [];
  if (type !== undefined && isDollar(flight, type)) {
    for (const used of rowsUsedAt(builder, type)) opened.push(openRow(builder, used));
  }
  if (props === undefined) return opened;
  if (kindAt(flight.tape, props) !== objectKind) return [...opened, openValue(builder, row, props)];
  const end = itemsEnd(flight.tape, props);
  for (let key = props + 2; key < end; key = nextAt(flight.tape, key + 2)) {
    const name = readString(flight, key);
    const at = key + 2;
    if (name !== 'children') opened.push(openValue(builder, row, at, name.slice(0, maxName)));
    else if (kindAt(flight.tape, at) === arrayKind) {
      // One by one: a list may have more items than a call may have arguments.
      for (const item of expandItems(builder, row, at)) opened.push(item);
    } else opened.push(openValue(builder, row, at));
  }
  return opened;
}

function isDollar(flight: Flight, at: number): boolean {
  const kind = kindAt(flight.tape, at);
  return kind === dollarKind || kind === codedDollarKind;
}
