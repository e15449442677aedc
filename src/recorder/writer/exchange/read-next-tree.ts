/**
 * `Next-Router-State-Tree`: where the browser is, and for a navigation what it has of the page it goes to. A segment is a name or
 * `[name, value, kind]`; its children are by slot. Next's own type is `FlightRouterState`, of which only what is needed is read.
 */
export type NextTree = {
  /** `/blog/[slug]` */
  readonly route: string;
  /** The browser has the page's frame, from a prefetch, and asks for what is missing in it. */
  readonly hasRefetch: boolean;
};

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

export function readNextTree(header: string | undefined): NextTree | undefined {
  const parts: string[] = [];
  let hasRefetch = false;
  let node = header === undefined ? undefined : parse(header);
  if (!Array.isArray(node)) return undefined;
  for (let depth = 0; depth < depthLimit && Array.isArray(node); depth += 1) {
    const [segment, slots, , marker]: unknown[] = node;
    hasRefetch ||= marker === 'refetch';
    const part = toPart(segment);
    if (part !== '') parts.push(part);
    node = typeof slots === 'object' && slots !== null && 'children' in slots ? slots.children : undefined;
  }
  return { route: `/${parts.join('/')}`, hasRefetch };
}
