import {
  countChildren,
  countMembers,
  findEntry,
  findRow,
  hasMembers,
  identifyMembers,
  openPart,
  placeOfPart,
  printElementType,
  printPart,
  printRowOrigin,
  printValue,
  readElement,
  readElementOrigin,
  readEntries,
  readHeader,
  readItems,
  readMembers,
  readPartText,
  readRowOrigin,
  resolveTarget,
  rootPart,
  rowTagOf,
  type Entry,
  type Flight,
  type Member,
  type Part,
  type Place,
  type SourcePlace,
  type Value,
} from '#flight';

import type { OutlineMember } from '../outline.ts';
import type { SearchableSource } from '../outline-search.ts';

/**
 * The page as a tree of elements, as the client has it when so many rows have come. An element holds its children and the
 * props that hold elements. Its other props are in its own line where there is room for all of them; if not, they are in a
 * line `props` before the children. Everything else opens as members.ts of packages/flight says. So all that is in a
 * payload can be reached here.
 */
export type TreeNode = {
  readonly kind: 'part' | 'props';
  /** As it is referred to: a reference may wait for its row. For `props`, the element that has them. */
  readonly part: Part;
};

export type TreeSource = SearchableSource<TreeNode>;

type TreeMember = OutlineMember<TreeNode>;

/** Props that are looked at for elements. The others are all the same in the line `props`. */
const maxOwnProps = 1000;

/** As print-value.ts has them: what is longer is cut in an element's line. */
const maxInLine = { props: 5, key: 20, value: 30, line: 120 };

const wordKinds = new Set<Value['kind']>(['string', 'number', 'boolean', 'null', 'undefined', 'bigint', 'date']);

/** A line is asked several times for what it is: what was found is kept as long as the node. */
const openedOf = new WeakMap<TreeNode, Part>();
const linesOf = new WeakMap<Part, ElementLines>();

/** What a node stands for: references, lazies and promises are followed. */
export function openNode(node: TreeNode): Part {
  const opened = openedOf.get(node) ?? openPart(node.part, true);
  openedOf.set(node, opened);
  return opened;
}

/** The element that a node is; undefined for others. */
export function readNodeElement(node: TreeNode): { readonly flight: Flight; readonly value: Value } | undefined {
  const opened = node.kind === 'part' ? openNode(node) : undefined;
  return opened?.kind === 'value' && opened.value.kind === 'element' ? opened : undefined;
}

/** Whether a prop gets a line beside the children: elements, and what may become one. */
function holdsElements(flight: Flight, value: Value): boolean {
  if (value.kind === 'lazy' || value.kind === 'element') return true;
  if (value.kind === 'array') return readItems(flight, value, 0, 1).some((item) => holdsElements(flight, item));
  if (value.kind !== 'reference') return false;
  const found = resolveTarget(flight, value);
  return found.kind === 'value' && (found.value.kind === 'element' || found.value.kind === 'lazy');
}

type ElementLines = {
  /** Props with lines of their own. */
  readonly own: readonly Entry[];
  readonly children: Value | undefined;
  /** Whether the element's line says all the rest. */
  readonly isWhole: boolean;
};

/** The characters that a plain value takes in an element's line; undefined for what is cut or not said there. */
function measureInLine(flight: Flight, value: Value): number | undefined {
  if (!wordKinds.has(value.kind)) return undefined;
  if (value.kind === 'string' && value.value.length > maxInLine.value) return undefined;
  const { length } = printValue(flight, value);
  return value.kind === 'string' ? length : length > maxInLine.value ? undefined : length + 2;
}

/** Whether an element's line says its key and all of its props but its children, and what elements are in them. */
function saysAll(flight: Flight, element: Value, entries: readonly Entry[], own: ReadonlySet<Entry>): boolean {
  const { type, key } = readElement(flight, element);
  const isKeyCut =
    key !== undefined && key.kind !== 'null' && (key.kind !== 'string' || key.value.length > maxInLine.key);
  if (isKeyCut || entries.length > maxInLine.props) return false;
  let length = '<>'.length + (type.kind === 'string' ? type.value : printElementType(flight, type)).length;
  if (key?.kind === 'string') length += ' key='.length + JSON.stringify(key.value).length;
  for (const entry of entries) {
    const size = own.has(entry) ? maxInLine.value + 2 : measureInLine(flight, entry.value);
    if (size === undefined) return false;
    length += entry.key.length + ' ='.length + size;
  }
  return length < maxInLine.line;
}

function readElementLines(part: Part, element: Value): ElementLines {
  const known = linesOf.get(part);
  if (known) return known;
  const lines = findElementLines(part, element);
  linesOf.set(part, lines);
  return lines;
}

function findElementLines(part: Part, element: Value): ElementLines {
  const { flight } = part;
  const { key, props: given } = readElement(flight, element);
  const opened = given && openPart({ ...part, kind: 'value', value: given });
  const props = opened?.kind === 'value' && opened.value.kind === 'object' ? opened.value : undefined;
  const hasKey = key !== undefined && key.kind !== 'null';
  if (!props) return { own: [], children: undefined, isWhole: !hasKey && (!given || given.kind === 'null') };
  const all = readEntries(flight, props, 0, maxOwnProps);
  const entries = all.filter((entry) => entry.key !== 'children');
  const own = entries.filter(({ value }) => holdsElements(flight, value));
  const isInLine = props === given && all.length < maxOwnProps && saysAll(flight, element, entries, new Set(own));
  const inside = findEntry(flight, props, 'children');
  const children = inside?.kind === 'null' || inside?.kind === 'undefined' ? undefined : inside;
  return { own, children, isWhole: isInLine || (!hasKey && entries.length === own.length) };
}

/** The members of the line `props`: those of the element that are in no other line. */
function listProps(part: Part, element: Value): Member[] {
  const { own } = readElementLines(part, element);
  const places = new Set(own.map(({ value }) => value.at));
  return readMembers(part).filter(
    (member) => member.name !== 'children' && !(member.part.kind === 'value' && places.has(member.part.value.at)),
  );
}

function countElementMembers(part: Part, element: Value): number {
  const { own, children, isWhole } = readElementLines(part, element);
  const listed = children?.kind === 'array' ? countChildren(part.flight, children) : children ? 1 : 0;
  return (isWhole ? 0 : 1) + own.length + listed;
}

function readElementMembers(part: Part, element: Value, from: number, count: number): TreeMember[] {
  const { own, children, isWhole } = readElementLines(part, element);
  const toNode = (value: Value): TreeNode => ({ kind: 'part', part: { ...part, kind: 'value', value } });
  const before: TreeMember[] = isWhole ? [] : [{ name: 'props', node: { kind: 'props', part } }];
  for (const { key, value } of own) before.push({ name: key, node: toNode(value) });
  const first = Math.max(from - before.length, 0);
  const size = from + count - before.length - first;
  const list = !children ? [] : children.kind === 'array' ? readItems(part.flight, children, first, size) : [children];
  const listed = children?.kind === 'array' ? list : list.slice(first, first + Math.max(size, 0));
  return [...before.slice(from, from + count), ...listed.map((value) => ({ name: undefined, node: toNode(value) }))];
}

function toNodes(members: readonly Member[]): TreeMember[] {
  return members.map(({ name, part }) => ({ name, node: { kind: 'part', part } }));
}

function readNodeMembers(node: TreeNode, from: number, count: number): TreeMember[] {
  const opened = openNode(node);
  const isElement = opened.kind === 'value' && opened.value.kind === 'element';
  if (!isElement) return toNodes(readMembers(opened, from, count));
  if (node.kind === 'props') return toNodes(listProps(opened, opened.value).slice(from, from + count));
  return readElementMembers(opened, opened.value, from, count);
}

function countNodeMembers(node: TreeNode): number {
  const opened = openNode(node);
  const isElement = opened.kind === 'value' && opened.value.kind === 'element';
  if (!isElement) return countMembers(opened);
  return node.kind === 'props' ? listProps(opened, opened.value).length : countElementMembers(opened, opened.value);
}

/** What an element has in its line `props`, a module's chunks and the numbers of an array are read by who asks for them. */
function opensAtFirst(node: TreeNode): boolean {
  const opened = openNode(node);
  if (node.kind === 'props' || opened.kind !== 'row') return node.kind === 'part';
  const { role } = rowTagOf(readHeader(opened.flight.rows, opened.row).tag);
  // A binary row with one member holds a payload.
  return role === 'stream' || (role === 'binary' && countMembers(opened) === 1);
}

/** The tree of a flight, of whose rows the first `came` have come. */
export function createTreeSource(flight: Flight, came: number): TreeSource {
  const root = rootPart(flight, came);
  return {
    root: root && { kind: 'part', part: root },
    hasMembers: (node) => (readNodeElement(node) ? countNodeMembers(node) > 0 : hasMembers(openNode(node))),
    countMembers: countNodeMembers,
    readMembers: readNodeMembers,
    opensAtFirst,
    identify: (node) => {
      const opened = openNode(node);
      const key = identifyMembers(opened);
      return key === undefined ? undefined : { scope: opened.flight, key: `${node.kind} ${key}` };
    },
  };
}

/** The bytes of a node: of what it stands for, or of the reference that waits. */
export function readNodePlace(node: TreeNode): Place | undefined {
  return placeOfPart(openNode(node)) ?? placeOfPart(node.part);
}

/** The row that a node stands in, by number; undefined for what waits, and in a payload within the payload. */
export function readNodeRow(flight: Flight, node: TreeNode): number | undefined {
  const opened = openNode(node);
  if (opened.flight !== flight) return undefined;
  if (opened.kind === 'value') return opened.value.row;
  return opened.kind === 'row' || opened.kind === 'number' ? opened.row : undefined;
}

/** The names in an element's line `props`, as an object's are shown; without what is no prop: `(type)`, `(owner)`. */
function printProps(node: TreeNode): string {
  const all = readNodeMembers(node, 0, maxInLine.props + 5).map(({ name }) => name ?? '');
  const names = all.filter((name) => !name.startsWith('('));
  const shown = names.slice(0, maxInLine.props).map((name) => (name.length > 30 ? `${name.slice(0, 29)}…` : name));
  return `{${shown.join(', ')}${names.length > maxInLine.props ? ', …' : ''}}`;
}

/** A line's text. */
export function printNode(node: TreeNode): string {
  return node.kind === 'props' ? printProps(node) : printPart(openNode(node));
}

/** What a search looks at in a line: what is in its members is left to them. */
export function readNodeText(node: TreeNode): string {
  if (node.kind === 'props') return '';
  const element = readNodeElement(node);
  const opened = openNode(node);
  if (!element) return hasMembers(opened) ? '' : readPartText(opened);
  if (readElementLines(opened, element.value).isWhole) return printPart(opened);
  return printElementType(element.flight, readElement(element.flight, element.value).type);
}

/** What names a source, and the place in it. */
export type NodeSource = { readonly text: string; readonly place: SourcePlace | undefined };

/** The component that made an element, or rendered the row that is referred to: only development says it. */
export function readOrigin(node: TreeNode): NodeSource | undefined {
  const { part } = node;
  if (!part.flight.rows.hasDebug || node.kind === 'props') return undefined;
  const element = readNodeElement(node);
  const made = element && readElementOrigin(element.flight, element.value);
  const row = part.kind === 'value' && 'id' in part.value ? findRow(part.flight.rows, part.value.id) : undefined;
  const origin = made ?? (row === undefined ? undefined : readRowOrigin(part.flight, row));
  return origin && { text: printRowOrigin(origin), place: origin.source };
}
