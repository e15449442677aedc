import {
  printElementType,
  printRow,
  printValue,
  type Flight,
  resolveTarget,
  findRow,
  readRow,
  findEntry,
  readElement,
  readEntries,
  readItems,
  type Value,
} from '#flight';

/**
 * The tree of elements as the client has it when the first `came` rows have come. References are followed. A value in a
 * row that has not come is a waiting place. Only open elements are read, so a list costs only what it shows.
 *
 * A payload can contain circular references. A person opens the tree one level at a time, so a circle is only as deep
 * as the person clicks.
 */
export type TreeLine = TreeNode & {
  /** The path to it from the root. The path names the line, because one value can be reached in two ways. */
  readonly path: string;
  readonly depth: number;
  /** The prop or key that holds it, unless that is `children`. */
  readonly name: string | undefined;
  /** Undefined for a node without children. */
  readonly isOpen: boolean | undefined;
};

export type TreeNode =
  | { readonly kind: 'element'; readonly value: Value; readonly label: string; readonly isClient: boolean }
  /** Text or a number: shown as it is. */
  | { readonly kind: 'text'; readonly value: Value; readonly label: string }
  /** An object or a list that holds elements: a framework's root, a list of children. */
  | { readonly kind: 'group'; readonly value: Value; readonly label: string }
  /** Anything else that is not an element. */
  | { readonly kind: 'data'; readonly value: Value; readonly label: string }
  | { readonly kind: 'waiting'; readonly value: Value; readonly id: number }
  | { readonly kind: 'row'; readonly row: number; readonly label: string; readonly isError: boolean };

type Child = { readonly name: string | undefined; readonly value: Value };

/**
 * How many children of one element or list are shown. A table of ten thousand rows is easier to read in the rows panel.
 */
const maxChildren = 500;
/** How many lines are open at first: one screen. */
const firstLines = 40;

/** The node of a value, with its references followed in the rows that have come. */
function readTreeNode(flight: Flight, value: Value, came: number): TreeNode {
  if (value.kind === 'reference' || value.kind === 'lazy' || value.kind === 'promise') {
    const row = findRow(flight.rows, value.id);
    if (row === undefined || row >= came) return { kind: 'waiting', value, id: value.id };
    const found = resolveTarget(flight, value.kind === 'reference' ? value : { id: value.id, path: [] });
    switch (found.kind) {
      case 'value':
        return found.value.kind === 'lazy' || found.value.kind === 'promise'
          ? readTreeNode(flight, found.value, came)
          : describe(flight, found.value);
      case 'row': {
        const { row: at, kind } = found.row;
        return { kind: 'row', row: at, label: printRow(flight, found.row), isError: kind === 'error' };
      }
      case 'pending':
        return { kind: 'waiting', value, id: found.id };
      case 'invalid':
        return { kind: 'data', value, label: found.reason };
    }
  }
  return describe(flight, value);
}

function isClientType(flight: Flight, type: Value): boolean {
  if (type.kind !== 'lazy' && type.kind !== 'reference') return false;
  const row = findRow(flight.rows, type.id);
  return row !== undefined && readRow(flight, row).kind === 'module';
}

function describe(flight: Flight, value: Value): TreeNode {
  switch (value.kind) {
    case 'element': {
      const { type } = readElement(flight, value);
      return { kind: 'element', value, label: printValue(flight, value), isClient: isClientType(flight, type) };
    }
    case 'array':
    case 'object':
      return { kind: 'group', value, label: printValue(flight, value) };
    case 'string':
    case 'number':
      return { kind: 'text', value, label: printValue(flight, value) };
    default:
      return { kind: 'data', value, label: printValue(flight, value) };
  }
}

/** Whether a prop's value gets a line in the tree: elements, and what may become one. */
function holdsElements(flight: Flight, value: Value): boolean {
  if (value.kind === 'lazy' || value.kind === 'element') return true;
  if (value.kind === 'array') return readItems(flight, value, 0, 1).some((item) => holdsElements(flight, item));
  if (value.kind !== 'reference') return false;
  const found = resolveTarget(flight, value);
  return found.kind === 'value' && (found.value.kind === 'element' || found.value.kind === 'lazy');
}

function readElementChildren(flight: Flight, element: Value): Child[] {
  const { props } = readElement(flight, element);
  if (props?.kind !== 'object') return [];
  const children: Child[] = [];
  for (const { key, value } of readEntries(flight, props, 0, maxChildren)) {
    if (key !== 'children' && holdsElements(flight, value)) children.push({ name: key, value });
  }
  const inside = findEntry(flight, props, 'children');
  if (!inside || inside.kind === 'null' || inside.kind === 'undefined') return children;
  const list = inside.kind === 'array' ? readItems(flight, inside, 0, maxChildren) : [inside];
  return [...children, ...list.map((value) => ({ name: undefined, value }))];
}

function readChildren(flight: Flight, node: TreeNode): Child[] {
  if (node.kind === 'element') return readElementChildren(flight, node.value);
  if (node.kind !== 'group') return [];
  if (node.value.kind === 'object') {
    return readEntries(flight, node.value, 0, maxChildren).map(({ key, value }) => ({ name: key, value }));
  }
  return readItems(flight, node.value, 0, maxChildren).map((value) => ({ name: undefined, value }));
}

/** The place of a line's bytes. */
export function readPlace(node: TreeNode): { row: number; start?: number; end?: number } {
  if (node.kind === 'row') return { row: node.row };
  const { row, start, end } = node.value;
  return { row, start, end };
}

type Pending = Child & { readonly path: string; readonly depth: number };

function readLine(flight: Flight, next: Pending, came: number, isOpen: (path: string) => boolean) {
  const node = readTreeNode(flight, next.value, came);
  const children = readChildren(flight, node);
  const { path, depth, name } = next;
  const line: TreeLine = { ...node, path, depth, name, isOpen: children.length === 0 ? undefined : isOpen(path) };
  const inner = children.map((child, index) => ({ ...child, path: `${path}.${index}`, depth: depth + 1 }));
  return { line, inner };
}

/** The first value of the tree; undefined before the root row came. */
function readTreeRoot(flight: Flight, came: number): Value | undefined {
  if (flight.root === undefined || flight.root >= came) return undefined;
  const row = readRow(flight, flight.root);
  return row.kind === 'model' ? row.value : undefined;
}

/** The lines of the tree, given what is open. */
export function readTreeLines(flight: Flight, came: number, open: ReadonlySet<string>): TreeLine[] {
  const root = readTreeRoot(flight, came);
  const lines: TreeLine[] = [];
  const stack: Pending[] = root ? [{ name: undefined, value: root, path: '0', depth: 0 }] : [];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { line, inner } = readLine(flight, next, came, (path) => open.has(path));
    lines.push(line);
    if (line.isOpen) stack.push(...inner.toReversed());
  }
  return lines;
}

/** How many values are searched for waiting places, and how many such places are opened. A person can open more. */
const maxSearched = 400;
const maxWaits = 12;

/** Opens the path to what had not come with the root: there the tree changes over time. */
function openWaits(flight: Flight, open: Set<string>): void {
  const came = flight.root === undefined ? 0 : flight.root + 1;
  const root = readTreeRoot(flight, came);
  const stack: Pending[] = root ? [{ name: undefined, value: root, path: '0', depth: 0 }] : [];
  let waits = 0;
  let searched = 0;
  for (let next = stack.pop(); next && waits < maxWaits && searched < maxSearched; next = stack.pop()) {
    searched += 1;
    const { line, inner } = readLine(flight, next, came, () => false);
    stack.push(...inner.toReversed());
    if (line.kind !== 'waiting') continue;
    waits += 1;
    const steps = line.path.split('.');
    for (let length = 1; length < steps.length; length++) open.add(steps.slice(0, length).join('.'));
  }
}

/** What is open at first: level by level, as much as fits on a screen, and what came later. */
export function openTreeFirst(flight: Flight): Set<string> {
  const { count } = flight.rows;
  const root = readTreeRoot(flight, count);
  const open = new Set<string>();
  let lines = 1;
  let level: Pending[] = root ? [{ name: undefined, value: root, path: '0', depth: 0 }] : [];
  while (level.length > 0 && lines < firstLines) {
    const deeper: Pending[] = [];
    for (const next of level) {
      const { line, inner } = readLine(flight, next, count, () => false);
      // A node with one child is always opened: it costs one line.
      if (inner.length === 0 || (open.size > 0 && lines + inner.length > firstLines)) continue;
      lines += inner.length;
      open.add(line.path);
      deeper.push(...inner);
    }
    level = deeper;
  }
  openWaits(flight, open);
  return open;
}

/** The name of a line's element, for finding its client module's source. */
export function readTypeName(flight: Flight, element: Value): string {
  return printElementType(flight, readElement(flight, element).type);
}
