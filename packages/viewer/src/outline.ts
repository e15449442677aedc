/**
 * A tree as a list of lines, opened step by step: the tab Tree and a row's decoded value are drawn so. Only what is open is
 * read, and of a long list only the pages that are shown, so a list costs what is seen of it. What is not shown says so in
 * a line of its own.
 *
 * A line is named by its path, the indexes from the root (`0.3.12`): one value can be reached in two ways, and references
 * may form a circle, which is only as deep as somebody opens it.
 */
export type OutlineSource<Node extends object> = {
  readonly root: Node | undefined;
  /** Cheap: asked for every line that is drawn. */
  readonly hasMembers: (node: Node) => boolean;
  readonly countMembers: (node: Node) => number;
  readonly readMembers: (node: Node, from: number, count: number) => readonly OutlineMember<Node>[];
  /** Whether it is open at first, if there is room. */
  readonly opensAtFirst: (node: Node) => boolean;
};

export type OutlineMember<Node extends object> = { readonly name: string | undefined; readonly node: Node };

/** The members `[from, to)` of a container. */
export type Range = readonly [from: number, to: number];

/** Which containers are open, by path, and which of their members are shown: ranges in order, apart from each other. */
export type OpenNodes = ReadonlyMap<string, readonly Range[]>;

export type OutlineLine<Node extends object> = NodeLine<Node> | MoreLine;

export type NodeLine<Node extends object> = OutlineMember<Node> & {
  readonly kind: 'node';
  readonly path: string;
  readonly depth: number;
  /** False for a leaf too: ask the source. */
  readonly isOpen: boolean;
  /** Which of how many members of its container. */
  readonly index: number;
  readonly total: number;
};

/** Members that are not shown. */
export type MoreLine = {
  readonly kind: 'more';
  readonly path: string;
  readonly container: string;
  readonly depth: number;
  readonly from: number;
  readonly to: number;
  /** Of all members of the container. */
  readonly total: number;
};

export const rootPath = '0';

/** How many members a container shows when it is opened: more than a screen, and drawn in a few milliseconds. */
export const firstPage = 200;

/** How many more a line of hidden members shows. */
export const nextPage = 1000;

/** Fewer hidden members than this are shown, for the line that stands for them takes room too. */
const minHidden = 20;

/** How many members are shown on either side of one that is searched for. */
const around = 50;

/** What an opened container shows of so many members. */
export function showFirst(total: number): readonly Range[] {
  return [[0, total <= firstPage + minHidden ? total : firstPage]];
}

/** The ranges, with one more shown. */
export function showRange(ranges: readonly Range[], wanted: Range, total: number): readonly Range[] {
  const sorted = [...ranges, wanted].toSorted((a, b) => a[0] - b[0]);
  const shown: [from: number, to: number][] = [];
  for (const [from, to] of sorted) {
    const last = shown.at(-1);
    if (last && from - last[1] < minHidden) last[1] = Math.max(last[1], to);
    else shown.push([from < minHidden ? 0 : from, to]);
  }
  const last = shown.at(-1);
  if (last && total - last[1] < minHidden) last[1] = total;
  return shown;
}

/** What an open container adds to the lines, in their order, with all that is in it closed. */
function readInside<Node extends object>(
  source: OutlineSource<Node>,
  { node, path, depth }: NodeLine<Node>,
  ranges: readonly Range[],
): readonly OutlineLine<Node>[] {
  const total = source.countMembers(node);
  const inside: OutlineLine<Node>[] = [];
  let hidden = 0;
  const hide = (to: number): void => {
    if (to <= hidden) return;
    inside.push({
      kind: 'more',
      path: `${path}+${hidden}`,
      container: path,
      depth: depth + 1,
      from: hidden,
      to,
      total,
    });
  };
  for (const [from, to] of ranges) {
    hide(Math.min(from, total));
    for (const [offset, { name, node: inner }] of source.readMembers(node, from, to - from).entries()) {
      const index = from + offset;
      inside.push({
        kind: 'node',
        name,
        node: inner,
        path: `${path}.${index}`,
        depth: depth + 1,
        isOpen: false,
        index,
        total,
      });
    }
    hidden = Math.min(to, total);
  }
  hide(total);
  return inside;
}

/**
 * Reads the lines of a tree, given what is open. What was read of a container is kept, so that opening one does not read
 * again all that is open.
 */
export function createOutlineReader<Node extends object>(
  source: OutlineSource<Node>,
): (open: OpenNodes) => OutlineLine<Node>[] {
  const cache = new Map<string, { ranges: readonly Range[]; inside: readonly OutlineLine<Node>[] }>();
  return (open) => {
    const lines: OutlineLine<Node>[] = [];
    const { root } = source;
    if (root === undefined) return lines;
    const first: NodeLine<Node> = {
      kind: 'node',
      name: undefined,
      node: root,
      path: rootPath,
      depth: 0,
      isOpen: false,
      index: 0,
      total: 1,
    };
    /** The containers that are being written, the innermost last, and how far each is. */
    const stack: { inside: readonly OutlineLine<Node>[]; next: number }[] = [{ inside: [first], next: 0 }];
    for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
      const line = frame.inside[frame.next];
      frame.next += 1;
      if (!line) {
        stack.pop();
        continue;
      }
      const ranges = line.kind === 'node' ? open.get(line.path) : undefined;
      if (line.kind === 'more' || !ranges) {
        lines.push(line);
        continue;
      }
      lines.push({ ...line, isOpen: true });
      const read = cache.get(line.path);
      const inside = read?.ranges === ranges ? read.inside : readInside(source, line, ranges);
      if (read?.inside !== inside) cache.set(line.path, { ranges, inside });
      stack.push({ inside, next: 0 });
    }
    return lines;
  };
}

/** Which members of an opened container are shown. */
type ChooseRanges<Node extends object> = (node: Node, path: string, total: number) => readonly Range[];

/** The lines that an open container adds: its members that are shown, and one for each gap. */
function countInside(ranges: readonly Range[], total: number): number {
  let lines = 0;
  let last = 0;
  for (const [from, to] of ranges) {
    lines += to - from + (from > last ? 1 : 0);
    last = to;
  }
  return last < total ? lines + 1 : lines;
}

/**
 * What is open at first, in so many lines: level by level, as much as fits, and what has one member is opened through.
 * `choose`: which members of a container are shown, the first of them unless it says otherwise.
 */
export function openFirst<Node extends object>(
  source: OutlineSource<Node>,
  maxLines: number,
  choose: ChooseRanges<Node> = (_node, _path, total) => showFirst(total),
): Map<string, readonly Range[]> {
  const open = new Map<string, readonly Range[]>();
  let level = source.root === undefined ? [] : [{ node: source.root, path: rootPath }];
  let lines = 1;
  while (level.length > 0 && lines < maxLines) {
    const deeper: typeof level = [];
    for (const { node, path } of level) {
      if (!source.hasMembers(node) || (path !== rootPath && !source.opensAtFirst(node))) continue;
      const total = source.countMembers(node);
      const shown = choose(node, path, total);
      const added = countInside(shown, total);
      // A list that is too long for the rest of the screen stays closed; the root never does.
      if (path !== rootPath && lines + added > maxLines && added > 1) continue;
      open.set(path, shown);
      lines += added;
      for (const [from, to] of shown) {
        const members = source.readMembers(node, from, Math.min(to - from, maxLines));
        for (const [index, { node: inner }] of members.entries()) {
          deeper.push({ node: inner, path: `${path}.${from + index}` });
        }
      }
    }
    level = deeper;
  }
  return open;
}

function isShown(ranges: readonly Range[], index: number): boolean {
  return ranges.some(([from, to]) => index >= from && index < to);
}

/** What is open, and the way to the line with a path too. */
export function openTo<Node extends object>(source: OutlineSource<Node>, open: OpenNodes, path: string): OpenNodes {
  const opened = new Map(open);
  let node: Node | undefined = source.root;
  let at = rootPath;
  for (const step of path.split('.').slice(1)) {
    if (node === undefined) break;
    const index = Number(step);
    const total = source.countMembers(node);
    const ranges = opened.get(at) ?? showFirst(total);
    const wanted: Range = [Math.max(0, index - around), Math.min(total, index + around)];
    opened.set(at, isShown(ranges, index) ? ranges : showRange(ranges, wanted, total));
    node = source.readMembers(node, index, 1)[0]?.node;
    at = `${at}.${step}`;
  }
  return opened;
}

/** The path of the container that a line is in; undefined for the root. */
export function readOuterPath(path: string): string | undefined {
  const end = Math.max(path.lastIndexOf('.'), path.lastIndexOf('+'));
  return end < 0 ? undefined : path.slice(0, end);
}

/** Whether line `a` stands before line `b`: below 0 for before, 0 for the same. */
export function comparePaths(a: string, b: string): number {
  const first = a.split('.');
  const second = b.split('.');
  for (const [index, step] of first.entries()) {
    const difference = Number.parseInt(step, 10) - Number.parseInt(second[index] ?? '-1', 10);
    if (difference !== 0) return difference;
  }
  return first.length - second.length;
}
