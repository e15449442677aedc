import type { Flight } from './flight.ts';
import { guessFrameworkOf, readReactRouterType, readRootKeys, type Framework, type Guess } from './framework.ts';
import { readFlightFromHtml, type HtmlFlight } from './from-html.ts';
import { readNextRoute, readOldAction } from './next-route.ts';
import { readAt, readList, readPayload, textOf, type PayloadReader } from './payload-reader.ts';
import { findScripts } from './script-elements.ts';

/**
 * What a payload says of the app it is from, beside its content: the framework, the route, what it was sent for. It is
 * read from the root row and the few rows this leads to, so that it costs little for bytes that nobody decodes yet.
 * A fact that the payload does not state is undefined.
 */
export type AppFacts = {
  readonly framework: Guess<Framework> | undefined;
  /** The pattern: `/blog/[slug]` of Next.js, `/blog/:slug` of React Router. */
  readonly route: string | undefined;
  /** React Router's ids of the matched routes, the root first. */
  readonly routeIds: readonly string[];
  /** The page's path, without a query: Waku, React Router, and documents of Next.js. */
  readonly path: string | undefined;
  /** Waku says whether the page was prerendered. */
  readonly isStatic: boolean | undefined;
  readonly purpose: 'page' | 'prefetch' | 'action' | 'redirect' | 'manifest' | undefined;
  /** Where a redirect leads. */
  readonly redirect: string | undefined;
};

/** Nested routes of one page. */
const maxMatches = 100;
const maxPathParts = 100;

/** The facts of a payload, decoded or not. Never throws. */
export function describeApp(payload: Flight | Uint8Array): AppFacts {
  const reader = readPayload(payload);
  const framework = guessFrameworkOf(reader);
  return { framework, ...readFacts(reader, framework?.guess) };
}

type RootFacts = Omit<AppFacts, 'framework'>;

const noFacts: RootFacts = {
  route: undefined,
  routeIds: [],
  path: undefined,
  isStatic: undefined,
  purpose: undefined,
  redirect: undefined,
};

function readFacts(reader: PayloadReader, framework: Framework | undefined): RootFacts {
  switch (framework) {
    case 'next':
      return readNextFacts(reader);
    case 'react-router':
      return readReactRouterFacts(reader);
    case 'waku':
      return readWakuFacts(reader);
    case 'vite-rsc':
      return { ...noFacts, purpose: hasValue(reader, 'returnValue') ? 'action' : 'page' };
    case 'redwood':
      return { ...noFacts, purpose: hasValue(reader, 'actionResult') ? 'action' : 'page' };
    case 'parcel':
      return { ...noFacts, purpose: readRootKeys(reader).includes('result') ? 'action' : 'page' };
    case 'tanstack-start':
    case undefined:
      return noFacts;
  }
}

function hasValue(reader: PayloadReader, key: string): boolean {
  const kind = readAt(reader, reader.root, key)?.value.kind;
  return kind !== undefined && kind !== 'undefined' && kind !== 'null';
}

function readNextFacts(reader: PayloadReader): RootFacts {
  const parts = readList(reader, readAt(reader, reader.root, 'c'), maxPathParts).map((part) => textOf(part) ?? '');
  const path = parts.length > 1 ? parts.join('/').split('?', 1)[0] : undefined;
  // Its tree is that of the home page.
  const route = path === '/_global-error' ? path : readNextRoute(reader);
  return { ...noFacts, route, path, purpose: readNextPurpose(reader) };
}

/**
 * A document has `G`, its error boundary, and a navigation says `S`. Until 16.3 what was rendered is the array `f`. In an
 * action's answer `f` is an empty text when nothing was rendered. Since 16.4 `q`, the query, is in all that was rendered for
 * a request. A prefetched tree or segment has neither, though `a` and `f` mean something else there.
 */
function readNextPurpose(reader: PayloadReader): AppFacts['purpose'] {
  const keys = readRootKeys(reader);
  const has = (key: string): boolean => keys.includes(key);
  if (reader.root && readOldAction(reader.root)) return 'action';
  if (keys.length === 0 || has('G') || has('S')) return 'page';
  const rendered = readAt(reader, reader.root, 'f')?.value.kind;
  const isRendered = has('q') || rendered === 'array' || rendered === 'string';
  if (!isRendered) return 'prefetch';
  return has('a') ? 'action' : 'page';
}

const reactRouterPurposes = new Map<string | undefined, AppFacts['purpose']>([
  ['render', 'page'],
  ['redirect', 'redirect'],
  ['manifest', 'manifest'],
  ['action', 'action'],
]);

function readReactRouterFacts(reader: PayloadReader): RootFacts {
  const purpose = reactRouterPurposes.get(readReactRouterType(reader));
  const location = readAt(reader, reader.root, 'location');
  if (purpose === 'redirect') return { ...noFacts, purpose, redirect: textOf(location) };
  const matches = readList(reader, readAt(reader, reader.root, 'matches'), maxMatches);
  const paths = matches.flatMap((match) => textOf(readAt(reader, match, 'path')) || []);
  return {
    ...noFacts,
    purpose,
    route: matches.length > 0 ? `/${paths.join('/')}`.replaceAll(/\/{2,}/g, '/') : undefined,
    routeIds: matches.flatMap((match) => textOf(readAt(reader, match, 'id')) ?? []),
    path: textOf(readAt(reader, location, 'pathname')),
  };
}

function readWakuFacts(reader: PayloadReader): RootFacts {
  const isStatic = readAt(reader, reader.root, 'IS_STATIC')?.value;
  return {
    ...noFacts,
    path: textOf(readAt(reader, readAt(reader, reader.root, 'ROUTE'), 0)),
    isStatic: isStatic?.kind === 'boolean' ? isStatic.value : undefined,
    purpose: readRootKeys(reader).includes('_value') ? 'action' : 'page',
  };
}

/** Names in a page's own scripts that one framework writes, where its payload says nothing. */
const scriptSigns: readonly { framework: Framework; sign: string }[] = [
  { framework: 'next', sign: '__next_f' },
  { framework: 'tanstack-start', sign: '$_TSR' },
  { framework: 'redwood', sign: '__RWSDK_CONTEXT' },
  { framework: 'waku', sign: '__WAKU_' },
  { framework: 'react-router', sign: '__reactRouter' },
  { framework: 'parcel', sign: 'parcelRequire' },
];

/** The facts of a page's source: of its first payload, and when that shows no framework, of its scripts. Never throws. */
export function describePage(
  html: string,
  flights: readonly HtmlFlight[] = readFlightFromHtml(html),
): AppFacts & { readonly flights: readonly HtmlFlight[] } {
  const [first] = flights;
  const facts = first ? describeApp(first.bytes) : { framework: undefined, ...noFacts };
  return { ...facts, framework: facts.framework ?? guessByScripts(html), flights };
}

function guessByScripts(html: string): Guess<Framework> | undefined {
  const names = new Set<string>();
  for (const { code } of findScripts(html)) {
    for (const { sign } of scriptSigns) if (code.includes(sign)) names.add(sign);
  }
  const found = scriptSigns.find(({ sign }) => names.has(sign));
  return found && { guess: found.framework, because: `a script of the page has ${found.sign}` };
}
