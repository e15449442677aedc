/**
 * `Next-Router-State-Tree`: where the browser is, and for a navigation what it has of the page it goes to. A segment is a name or
 * `[name, value, kind]`; its children are by slot. Next's own type is `FlightRouterState`, of which only what is needed is read.
 */
export type NextTree = {
  /** `/blog/[slug]` */
  readonly route: string;
  /** The browser has the page's frame, from a prefetch, and asks for what is missing in it. */
  readonly hasRefetch: boolean;
  readonly purpose: TreePurpose;
};

/**
 * Whether the whole of a page is asked for by a click, or ahead of one (`<Link prefetch={true}>`), as far as the tree says it.
 * `either`: some version of Next.js sends this for both. The signs are in docs/decisions/086-proxy-and-prefetches.md.
 */
type TreePurpose = 'click' | 'ahead' | 'either';

const depthLimit = 100;

function toPart(segment: unknown): string {
  if (typeof segment === 'string') return segment.startsWith('(') || segment.startsWith('__') ? '' : segment;
  if (!Array.isArray(segment)) return '';
  const [name, , kind] = segment;
  if (typeof name !== 'string') return '';
  if (kind === 'c') return `[...${name}]`;
  return kind === 'oc' ? `[[...${name}]]` : `[${name}]`;
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

/** @param marks of each segment, the root's first */
function findPurpose(marks: readonly Marks[]): TreePurpose {
  const last = marks.at(-1);
  // From 16.2 on each segment of a click has flags. A prefetch has them only where they are not 0.
  if (marks.some(({ flags }) => typeof flags === 'number')) {
    if (typeof last?.flags !== 'number') return 'ahead';
    const isMarked = marks.some(({ marker }) => marker === 'refetch');
    const hasHints = last.flags > 0 && last.flags < firstOtherFlag && marks.every(({ flags }) => flags !== 0);
    return isMarked && hasHints ? 'either' : 'click';
  }
  // The page where it is, anew.
  if (marks[0]?.marker === 'refetch') return 'click';
  const asked = marks.find(({ marker }) => marker === 'refetch');
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

/** Of a segment as Next.js writes it since late 14 and 15: its name, slots, address and marker. */
const wholeLength = 4;

export function readNextTree(header: string | undefined): NextTree | undefined {
  const parts: string[] = [];
  const marks: Marks[] = [];
  let hasRefetch = false;
  let node = header === undefined ? undefined : parse(header);
  if (!Array.isArray(node)) return undefined;
  for (let depth = 0; depth < depthLimit && Array.isArray(node); depth += 1) {
    const { length } = node;
    const [segment, slots, , marker, flags]: unknown[] = node;
    node = typeof slots === 'object' && slots !== null && 'children' in slots ? slots.children : undefined;
    // A root alone asks for a page of which nothing is known.
    hasRefetch ||= marker === 'refetch' && (depth > 0 || node !== undefined);
    marks.push({ marker, flags, length });
    const part = toPart(segment);
    if (part !== '') parts.push(part);
  }
  return { route: `/${parts.join('/')}`, hasRefetch, purpose: findPurpose(marks) };
}
