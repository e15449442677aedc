import { group, main as mainSlot, namesPage, patternOf } from './next-route.ts';

/**
 * `Next-Router-State-Tree`: where the browser is, and for a navigation what it has of the page it goes to. A segment is a name or
 * `[name, value, kind]`; its children are by slot. Next's own type is `FlightRouterState`, of which only what is needed is read.
 */
export type NextTree = {
  /** Of the page where the browser is, or to which it goes: `/blog/[slug]` */
  readonly route: string;
  /** The browser has the frame of a page, from a prefetch, and asks for what is missing in it. */
  readonly hasRefetch: boolean;
  /** The route of what it asks for then; an intercepted one as Next.js writes it: `/feed/(..)photo/[id]` */
  readonly askedRoute: string | undefined;
  readonly purpose: TreePurpose;
};

/**
 * Whether the whole of a page is asked for by a click, or ahead of one (`<Link prefetch={true}>`), as far as the tree says it.
 * `either`: some version of Next.js sends this for both. The signs are in docs/decisions/086-proxy-and-prefetches.md.
 */
type TreePurpose = 'click' | 'ahead' | 'either';

const depthLimit = 100;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As the payload writes it; empty where it is no part of the address. */
function toPart(segment: unknown): string {
  if (typeof segment === 'string') return segment.startsWith('__') || group.test(segment) ? '' : segment;
  if (!Array.isArray(segment)) return '';
  const [name, , kind] = segment;
  return typeof name === 'string' ? patternOf(name, typeof kind === 'string' ? kind : 'd') : '';
}

function parse(header: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(header));
  } catch {
    // Cut, or of another version.
    return undefined;
  }
}

type Marks = { readonly marker: unknown; readonly flags: unknown; readonly length: number };

/**
 * @param marks of each segment of the page, the root's first
 * @param asked the first segment of which the rest is asked for, in any slot
 */
function findPurpose(marks: readonly Marks[], asked: Marks | undefined): TreePurpose {
  const last = marks.at(-1);
  // From 16.2 on each segment of a click has flags. A prefetch has them only where they are not 0.
  if (marks.some(({ flags }) => typeof flags === 'number')) {
    if (typeof last?.flags !== 'number') return 'ahead';
    // A link whose page is prefetched in part sends a header.
    const isMissing = last.marker === 'refetch' && (last.flags & partialPrefetchingFlag) !== 0;
    const isHint = last.flags < firstOtherFlag || (last.flags >= cacheComponentsFlag && !isMissing);
    const hasHints = last.flags > 0 && isHint && marks.every(({ flags }) => flags !== 0);
    return asked && hasHints ? 'either' : 'click';
  }
  // The page where it is, anew.
  if (marks[0]?.marker === 'refetch') return 'click';
  // 14 and 15 say to both where they are, and mark a segment only for a click on a link that was prefetched.
  if (!asked) return 'either';
  // 16.0 and 16.1 mark both, with a flag that is true or false. What is as short as a prefetch of 16.2 may be of early 14 and 15.
  return typeof asked.flags === 'boolean' || (last?.length ?? 0) < wholeLength ? 'either' : 'click';
}

/**
 * Flags below it say how the parts of a page that was made at build time are put together for prefetches: it has one at every segment, and
 * a click on it looks as a prefetch does. Most clicks on it ask for nothing.
 */
const firstOtherFlag = 512;
/** With Cache Components each segment has this one, asked for ahead or by a click. */
const cacheComponentsFlag = 0x4000;
/** With `partialPrefetching` a click alone asks for what a page lacks at its end. */
const partialPrefetchingFlag = 2;

/** Of a segment as Next.js writes it since late 14 and 15: its name, slots, address and marker. */
const wholeLength = 4;

function readMarks(node: readonly unknown[]): Marks {
  const [, , , marker, flags] = node;
  return { marker, flags, length: node.length };
}

type Step = { readonly segment: unknown; readonly marks: Marks; readonly slot: string };

/** The way to the first segment of which the rest is asked for, in any slot: what is intercepted is shown in one beside the page. */
function findAsked(node: unknown, slot: string, above: readonly Step[]): readonly Step[] | undefined {
  if (!Array.isArray(node) || above.length >= depthLimit) return undefined;
  const way = [...above, { segment: node[0], marks: readMarks(node), slot }];
  const inner = isRecord(node[1]) ? Object.entries(node[1]) : [];
  // A root alone asks for a page of which nothing is known.
  if (node[3] === 'refetch' && (above.length > 0 || inner.length > 0)) return [...way, ...listPage(node).slice(1)];
  for (const [name, one] of inner) {
    const found = findAsked(one, name, way);
    if (found) return found;
  }
  return undefined;
}

/** A segment and the page below it, the segment first. */
function listPage(from: unknown): Step[] {
  const steps: Step[] = [];
  for (let node = from; Array.isArray(node) && steps.length < depthLimit;) {
    const [segment, slots]: unknown[] = node;
    steps.push({ segment, marks: readMarks(node), slot: mainSlot });
    node = isRecord(slots) ? slots['children'] : undefined;
  }
  return steps;
}

function listParts(steps: readonly Step[]): string[] {
  return steps.map(({ segment }) => toPart(segment)).filter((part) => part !== '');
}

function toRoute(steps: readonly Step[]): string {
  return `/${listParts(steps).join('/')}`;
}

/** Undefined where it is something beside the page, which says nothing of that. */
function toAskedRoute(asked: readonly Step[]): string | undefined {
  const isMain = asked.every(({ slot }) => slot === mainSlot);
  return namesPage(listParts(asked), isMain) ? toRoute(asked) : undefined;
}

export function readNextTree(header: string | undefined): NextTree | undefined {
  const root = header === undefined ? undefined : parse(header);
  if (!Array.isArray(root)) return undefined;
  const page = listPage(root);
  const asked = findAsked(root, mainSlot, []);
  const marks = page.map((step) => step.marks);
  const first = asked?.find((step) => step.marks.marker === 'refetch')?.marks;
  return {
    route: toRoute(page),
    hasRefetch: asked !== undefined,
    askedRoute: asked && toAskedRoute(asked),
    purpose: findPurpose(marks, first),
  };
}
