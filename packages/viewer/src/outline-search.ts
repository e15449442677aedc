import { rootPath, type OutlineSource } from './outline.ts';

/**
 * Goes through a whole tree, open or not, in the order of its lines, and finds lines. It runs in slices, so that a search
 * of 5 MB does not block the page, and opens what is referred to twice once: where it stands first.
 */
export type OutlineSearch = {
  /** The paths of the lines that were found, in the order of the lines. The list grows during the search. */
  readonly found: string[];
  /** Searches on until the time is over, or until so many are found. @returns whether everything was looked at */
  readonly advance: (until: number, maxFound?: number) => boolean;
};

export type SearchableSource<Node extends object> = OutlineSource<Node> & {
  /** The same for nodes with the same members; undefined for what has none. `scope` tells apart what has the same names. */
  readonly identify: (node: Node) => { readonly scope: object; readonly key: string } | undefined;
};

/** Members that are read at once. */
const pageSize = 256;

/** How many lines are looked at between two looks at the clock. */
const stepsPerLook = 64;

type Frame<Node extends object> = {
  readonly node: Node;
  readonly total: number;
  /** The member that is looked at next, and the page it is in, which begins at `pageFrom`. */
  next: number;
  pageFrom: number;
  page: readonly { readonly name: string | undefined; readonly node: Node }[];
};

export function createOutlineSearch<Node extends object>(
  source: SearchableSource<Node>,
  matches: (node: Node, name: string | undefined) => boolean,
  now = () => performance.now(),
): OutlineSearch {
  const found: string[] = [];
  const frames: Frame<Node>[] = [];
  const opened = new Map<object, Set<string>>();
  let begun = false;

  function visit(node: Node, name: string | undefined): void {
    if (matches(node, name)) found.push([rootPath, ...frames.map(({ next }) => next - 1)].join('.'));
    const identity = source.identify(node);
    if (!identity) return;
    const known = opened.get(identity.scope) ?? new Set<string>();
    opened.set(identity.scope, known);
    if (known.has(identity.key)) return;
    known.add(identity.key);
    const total = source.countMembers(node);
    if (total > 0) frames.push({ node, total, next: 0, pageFrom: 0, page: [] });
  }

  function step(frame: Frame<Node>): void {
    if (frame.next - frame.pageFrom >= frame.page.length) {
      frame.pageFrom = frame.next;
      frame.page = source.readMembers(frame.node, frame.next, pageSize);
    }
    const member = frame.page[frame.next - frame.pageFrom];
    frame.next += 1;
    if (member) visit(member.node, member.name);
    // The members may be fewer than was said: then there is nothing more to look at.
    else frame.next = frame.total;
  }

  function advance(until: number, maxFound = Infinity): boolean {
    if (!begun && source.root !== undefined) visit(source.root, undefined);
    begun = true;
    for (let steps = 1; ; steps++) {
      let frame = frames.at(-1);
      while (frame && frame.next >= frame.total) {
        frames.pop();
        frame = frames.at(-1);
      }
      if (!frame) return true;
      if (found.length >= maxFound || (steps % stepsPerLook === 0 && now() >= until)) return false;
      step(frame);
    }
  }

  return { found, advance };
}
