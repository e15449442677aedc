import { follow, readAt, readList, textOf, type Located, type PayloadReader } from '../payload-reader.ts';
import { readElement, readEntries, readItems } from '../value.ts';

/**
 * The route pattern of a Next.js payload, `/blog/[slug]`, from the tree of segments it carries for the router. Every line
 * of Next writes that tree in another form, and some payloads carry a part of it; a pattern is given only for one that
 * leads to a page. Sources: next 13.4, 14.2, 15.5, 16.0 and 16.4, shared/lib/app-router-types.ts and rsc-transport.ts.
 */

/** Segments of a route, parallel routes of one: an app has a few of each. */
const maxSegments = 50;
const maxSlots = 50;

/** Of one tree: what refers to the same part again and again costs no more. */
const maxSteps = 500;

/** One step of the tree: how the segment is written in a route, and what is in each slot below it. */
type Step = { readonly segment: string; readonly below: readonly Slot[] };
type Slot = { readonly name: string; readonly node: Located | undefined };

/** The page itself. In any other slot stands what is shown beside it. */
export const main = 'children';

/** `[...slug]` and its like; `type` is Next's short name of a dynamic parameter, behind which interception is marked. */
export function patternOf(name: string, type: string): string {
  const [, letters = 'd', mark = ''] = /^(d|c|oc|di|ci)((?:\(\.+\))*)$/.exec(type) ?? [];
  if (letters === 'oc') return `[[...${name}]]`;
  return `${mark}[${letters.startsWith('c') ? '...' : ''}${name}]`;
}

/** A segment of a router state: a text, or `[name, value, type]`. */
function readStateSegment(reader: PayloadReader, segment: Located | undefined): string | undefined {
  const text = textOf(segment);
  if (text !== undefined) return text;
  const [name, , type] = readList(reader, segment, 3);
  const own = textOf(name);
  return own === undefined ? undefined : patternOf(own, textOf(type) ?? 'd');
}

/** Next 16.4: `{s: "blog", c: Map}`, a dynamic segment `{n: "slug", t: "d"}`. */
function readTransportNode(reader: PayloadReader, node: Located): Step | undefined {
  const segment = readAt(reader, node, 's');
  const name = textOf(segment) ?? readDynamic(reader, segment);
  const below = readList(reader, readAt(reader, node, 'c'), maxSlots).map((pair) => {
    const [key, inner] = readList(reader, pair, 2);
    return { name: textOf(key) ?? '', node: inner };
  });
  return name === undefined ? undefined : { segment: name, below };
}

function readDynamic(reader: PayloadReader, segment: Located | undefined): string | undefined {
  const name = textOf(readAt(reader, segment, 'n'));
  return name === undefined ? undefined : patternOf(name, textOf(readAt(reader, segment, 't')) ?? 'd');
}

/** Until 16.3, for the router: `["blog", {"children": […]}]`. */
function readStateNode(reader: PayloadReader, node: Located): Step | undefined {
  const name = readStateSegment(reader, readAt(reader, node, 0));
  const below = readSlots(readAt(reader, node, 1));
  return name === undefined ? undefined : { segment: name, below };
}

/** Until 16.3, for prefetches: `{name, paramType, slots: {children: …}}`, in 15 `{segment, slots}`. */
function readTreeNode(reader: PayloadReader, node: Located): Step | undefined {
  const name = textOf(readAt(reader, node, 'name'));
  const type = textOf(readAt(reader, node, 'paramType'));
  const segment =
    name === undefined
      ? readStateSegment(reader, readAt(reader, node, 'segment'))
      : type === undefined
        ? name
        : patternOf(name, type);
  return segment === undefined ? undefined : { segment, below: readSlots(readAt(reader, node, 'slots')) };
}

function readSlots(slots: Located | undefined): Slot[] {
  if (slots?.value.kind !== 'object') return [];
  const { flight } = slots;
  return readEntries(flight, slots.value, 0, maxSlots).map(({ key, value }) => ({
    name: key,
    node: { flight, value },
  }));
}

type ReadNode = (reader: PayloadReader, node: Located) => Step | undefined;

/** `(.)photo`, `(..)(..)[id]`: a page of its own, which is shown in a slot beside the one that was left. */
const interception = /^\((?:\.|\.\.|\.\.\.)\)/;

/** A way to a page through a slot beside it says nothing of that page, unless it is one that is intercepted. */
export function namesPage(segments: readonly string[], isMain: boolean): boolean {
  return isMain || segments.some((segment) => interception.test(segment));
}

type Way = { readonly segments: readonly string[]; readonly isMain: boolean };

/**
 * The segments to a page from a node down, through the slot `children` where that leads to one; undefined when none does.
 * @param above how it was come to the node
 */
function readSegments(
  reader: PayloadReader,
  from: Located | undefined,
  readNode: ReadNode,
  above: Way = { segments: [], isMain: true },
): string[] | undefined {
  let steps = 0;

  function find(node: Located | undefined, { segments, isMain }: Way): string[] | undefined {
    steps += 1;
    const found = follow(reader, node);
    if (!found || steps > maxSteps || segments.length >= maxSegments) return undefined;
    const step = readNode(reader, found);
    if (!step) return undefined;
    if (step.segment.startsWith('__PAGE__')) return namesPage(segments, isMain) ? [...segments] : undefined;
    const inner = [...segments, step.segment];
    const slots = step.below.toSorted((a, b) => Number(b.name === main) - Number(a.name === main));
    for (const slot of slots) {
      const way = find(slot.node, { segments: inner, isMain: isMain && slot.name === main });
      if (way) return way;
    }
    return undefined;
  }

  return find(from, above);
}

/** A group of routes, `(shop)`, is not part of the address; `(.)photo` is how an intercepted one is written. */
export const group = /^\([^.()][^()]*\)$/;

function toPattern(segments: readonly string[]): string {
  const named = segments.map((segment) => segment.replace(/^\//, ''));
  return `/${named.filter((segment) => segment !== '' && !group.test(segment)).join('/')}`;
}

/** The items before a tree are the way to it, slot and segment in turn; the last segment is the tree's own first. */
function readFlightPath(reader: PayloadReader, path: Located | undefined): string[] | undefined {
  const items = readList(reader, path, maxSegments * 2);
  const at = items.findIndex((item) => item.value.kind === 'array' && readAt(reader, item, 1)?.value.kind === 'object');
  if (at < 0) return undefined;
  const way = items.slice(0, Math.max(at - 1, 0));
  const segments = way.filter((_, index) => index % 2 === 1).map((one) => readStateSegment(reader, one) ?? '');
  const isMain = way.every((one, index) => index % 2 === 1 || textOf(one) === main);
  return readSegments(reader, items[at], readStateNode, { segments, isMain });
}

/** A navigation brings a path for each slot that changes. */
function readFlightPaths(reader: PayloadReader, paths: Located | undefined): string[] | undefined {
  for (const path of readList(reader, paths, maxSlots)) {
    const segments = readFlightPath(reader, path);
    if (segments) return segments;
  }
  return undefined;
}

/** The pattern of the route a payload is of; undefined when it does not say. */
export function readNextRoute(reader: PayloadReader): string | undefined {
  const { root } = reader;
  if (!root) return undefined;
  const segments =
    readSegments(reader, readAt(reader, readAt(reader, root, 't'), 't'), readTransportNode) ??
    readFlightPaths(reader, readAt(reader, root, 'f')) ??
    readSegments(reader, readAt(reader, root, 'tree'), readTreeNode) ??
    readOldRoute(reader, root);
  return segments && toPattern(segments);
}

/** Items of a root that may be the app's element: styles come before it. */
const maxRootItems = 10;

export function readOldRoot(reader: PayloadReader, root: Located): readonly Located[] {
  return root.value.kind === 'array' ? readList(reader, root, maxRootItems) : [root];
}

/** Next 13 and 14: a navigation's root is `[buildId, [path, …]]`, a page's an element with `initialTree`, alone or after styles. */
function readOldRoute(reader: PayloadReader, root: Located): string[] | undefined {
  const items = readOldRoot(reader, root);
  const action = readOldAction(root);
  if (action) return readFlightPaths(reader, readAt(reader, action, 1));
  for (const item of items) {
    const tree = readAt(reader, readProps(item), 'initialTree');
    if (tree) return readSegments(reader, tree, readStateNode);
  }
  return textOf(items[0]) === undefined ? undefined : readFlightPaths(reader, items[1]);
}

/** Next 14's answer to an action: `[promise of the result, [buildId, what was rendered again or null]]`; the second part. */
export function readOldAction({ flight, value }: Located): Located | undefined {
  if (value.kind !== 'array') return undefined;
  const [result, rendered, more] = readItems(flight, value, 0, 3);
  if (result?.kind !== 'promise' || rendered?.kind !== 'array' || more) return undefined;
  const [build, data, other] = readItems(flight, rendered, 0, 3);
  const isPair = build?.kind === 'string' && (data?.kind === 'null' || data?.kind === 'array') && !other;
  return isPair ? { flight, value: rendered } : undefined;
}

export function readProps({ flight, value }: Located): Located | undefined {
  const props = value.kind === 'element' ? readElement(flight, value).props : undefined;
  return props && { flight, value: props };
}
