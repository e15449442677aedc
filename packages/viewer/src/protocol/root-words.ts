import type { Framework } from '#flight';

/**
 * The root row of each framework. React does not know what it means: the framework's own client reads it. Sources: the
 * types that Next.js 15.5 and 16.4.6, React Router 8.4 and Waku 1.0.0-rc.1 publish, and what apps built with them send.
 */
export type RootKey = {
  /** The way to it from the root: `t.d.r`. A `*` stands for any name that begins with what is before it. */
  readonly path: string;
  readonly name: string;
  readonly says: string;
};

export type RootWords = {
  readonly anchor: string;
  readonly framework: Framework;
  readonly title: string;
  readonly says: string;
  readonly keys: readonly RootKey[];
};

const nodeKeys = (way: string): readonly RootKey[] => [
  {
    path: `${way}.s`,
    name: 'segment',
    says: 'The part of the route: a text, or an object for a dynamic one, {n: name, t: type, k: value, s: static siblings}.',
  },
  { path: `${way}.h`, name: 'hints', says: 'Bits about prefetching, made by the build. Left out when there are none.' },
  {
    path: `${way}.d`,
    name: 'data',
    says: 'What the segment rendered; left out when this response says nothing about it.',
  },
  {
    path: `${way}.d.r`,
    name: 'rendered',
    says: 'The React node of the segment. null: skipped, the browser has it already.',
  },
  {
    path: `${way}.d.p`,
    name: 'is partial',
    says: 'Whether it has holes. In prefetched segments a promise: it never resolves when there are.',
  },
  {
    path: `${way}.d.v`,
    name: 'vary parameters',
    says: 'Which route parameters the output depends on; null for not known.',
  },
  { path: `${way}.d.s`, name: 'stale time', says: 'How many seconds it may be reused, in prefetched segments.' },
  {
    path: `${way}.c`,
    name: 'children',
    says: 'A Map from the name of each slot (children, or @name) to the node below.',
  },
];

const sharedNext: readonly RootKey[] = [
  {
    path: 'b',
    name: 'build id',
    says: 'Which build answered. When it is not the browser’s, the browser loads the document.',
  },
  { path: 'q', name: 'rendered search', says: 'The query that was rendered, with its question mark; empty for none.' },
  {
    path: 'i',
    name: 'could be intercepted',
    says: 'Whether an intercepting route could answer this path in place of this one.',
  },
  {
    path: 'S',
    name: 'per-segment prefetching',
    says: 'Whether the route’s segments can be prefetched one by one. Until Next.js 15: whether it was prerendered.',
  },
  {
    path: 'G',
    name: 'global error',
    says: 'The component that is shown when all fails, and its styles. Only in documents.',
  },
  {
    path: 'm',
    name: 'missing slots',
    says: 'Parallel routes that the page leaves empty, in development; $undefined otherwise.',
  },
  {
    path: 'P',
    name: 'preloads',
    says: 'Renders nothing. While the server rendered it, it announced the page’s files.',
  },
  {
    path: 'c',
    name: 'canonical URL',
    says: 'The parts of the address between its slashes; the browser’s router begins with it. Only in documents.',
  },
  {
    path: 'a',
    name: 'action result',
    says: 'In the answer to an action: a promise of what it returned. In a prerendered page: how many bytes the shell has.',
  },
];

export const rootWords: readonly RootWords[] = [
  {
    anchor: 'root-next',
    framework: 'next',
    title: 'Next.js 16.4',
    says: 'One tree of route segments, each with what it rendered. Documents also have P, c, m and G; an action’s answer has a.',
    keys: [
      ...sharedNext,
      { path: 't', name: 'transport data', says: 'The tree and the head. Left out when nothing was rendered.' },
      { path: 't.t', name: 'tree', says: 'The root segment; the others are below it.' },
      ...nodeKeys('t.t'),
      {
        path: 't.h',
        name: 'head',
        says: 'What belongs into <head>: metadata and viewport, with the members of a segment’s data.',
      },
      {
        path: 'r',
        name: 'root vary parameters',
        says: 'Which parameters above the root layout the response depends on.',
      },
      { path: 's', name: 'stale time', says: 'How many seconds it may be reused; with cacheComponents.' },
      { path: 'l', name: 'length of the static part', says: 'A promise of how many bytes the static stage has.' },
      {
        path: 'u',
        name: 'needs a runtime request',
        says: 'A promise: true when the page read data of the request, so that a static prefetch has holes.',
      },
      {
        path: 'w',
        name: 'session data in the shell',
        says: 'Whether session data added to the shell. No client reads it yet.',
      },
      { path: 'd', name: 'stale time of a dynamic page', says: 'Seconds, from unstable_dynamicStaleTime.' },
      { path: 'p', name: 'runtime prefetch', says: 'A byte stream with a whole Flight payload inside.' },
      {
        path: 'f',
        name: 'upgradable fallback',
        says: 'true: a fallback was rendered, and a better one may be there soon.',
      },
      {
        path: 'n',
        name: 'document navigation',
        says: 'An address that the browser must load as a document. No server writes it yet.',
      },
    ],
  },
  {
    anchor: 'root-next-15',
    framework: 'next',
    title: 'Next.js 15 to 16.3',
    says: 'The same letters, but the tree is f, and p and s mean something else.',
    keys: [
      ...sharedNext,
      {
        path: 'f',
        name: 'Flight data',
        says: 'A list of paths through the route. Each ends with a segment, the router’s tree below it, what was rendered, the head, and whether the head is partial. A text is an address to load as a document.',
      },
      {
        path: 'p',
        name: 'asset prefix',
        says: 'What stands before the addresses of files. In documents of Next.js 15.',
      },
      { path: 's', name: 'postponed', says: 'In documents of Next.js 15: whether a part is rendered later.' },
    ],
  },
  {
    anchor: 'root-waku',
    framework: 'waku',
    title: 'Waku 1.0',
    says: 'An object of named slots. The browser keeps the slots that a response leaves out.',
    keys: [
      { path: 'root', name: 'root', says: 'The document: what src/pages/_root.tsx renders.' },
      {
        path: 'layout:*',
        name: 'layout',
        says: 'The layout of a path. Left out when the browser has it and it did not change.',
      },
      { path: 'page:*', name: 'page', says: 'The page of a path.' },
      { path: 'route:*', name: 'route', says: 'How layouts and the page of a path are put together.' },
      { path: 'slice:*', name: 'slice', says: 'A slice, by its name.' },
      { path: 'ROUTE', name: 'route', says: 'The path and the query that were rendered.' },
      { path: 'IS_STATIC', name: 'is static', says: 'Whether the page was prerendered.' },
      { path: 'HAS404', name: 'has a 404 page', says: 'Whether the app has one.' },
      {
        path: 'IS_ORIGIN',
        name: 'is origin',
        says: 'In the answer to an action: the rendered page is the one on which it was called.',
      },
      { path: '_buildId', name: 'build id', says: 'Which build answered.' },
      {
        path: '_etags',
        name: 'etags',
        says: 'Names the content of each slot. The browser sends them back, and the server leaves out what did not change.',
      },
      { path: '_value', name: 'action result', says: 'What an action returned.' },
      { path: '_location', name: 'location', says: 'Where the browser should go.' },
    ],
  },
  {
    anchor: 'root-react-router',
    framework: 'react-router',
    title: 'React Router 7 and 8',
    says: 'type says what the response is for: render, manifest, action or redirect.',
    keys: [
      { path: 'type', name: 'type', says: 'What the response is for: render, manifest, action or redirect.' },
      {
        path: 'matches',
        name: 'matches',
        says: 'The matched routes, the root first: id, path, parameters and elements of each.',
      },
      { path: 'loaderData', name: 'loader data', says: 'What the loaders returned, by route id.' },
      {
        path: 'actionData',
        name: 'action data',
        says: 'What the route’s action returned, by route id; null for none.',
      },
      { path: 'errors', name: 'errors', says: 'What was thrown, by route id; null for none.' },
      { path: 'location', name: 'location', says: 'The address that was rendered; of a redirect, where it leads.' },
      { path: 'basename', name: 'basename', says: 'The path under which the app stands.' },
      { path: 'clientVersion', name: 'client version', says: 'Which build answered.' },
      {
        path: 'routeDiscovery',
        name: 'route discovery',
        says: 'How the browser learns of routes: at once, or from the manifest path.',
      },
      { path: 'patches', name: 'patches', says: 'A promise of routes that the browser did not know.' },
      {
        path: 'formState',
        name: 'form state',
        says: 'The state of useActionState, after a form sent without JavaScript.',
      },
      { path: 'actionResult', name: 'action result', says: 'A promise of what a server function returned.' },
      {
        path: 'rerender',
        name: 'rerender',
        says: 'A promise of the page rendered again, in the form of render or redirect.',
      },
      { path: 'status', name: 'status', says: 'The HTTP status of a redirect.' },
      { path: 'replace', name: 'replace', says: 'Whether the redirect replaces the entry of the history.' },
      { path: 'reload', name: 'reload', says: 'Whether the redirect loads the document.' },
    ],
  },
  {
    anchor: 'root-others',
    framework: 'vite-rsc',
    title: 'plugin-rsc’s starter',
    says: 'An app chooses its own root; this is the starter’s.',
    keys: [
      { path: 'root', name: 'root', says: 'The page’s element.' },
      { path: 'returnValue', name: 'action result', says: 'What an action returned, and whether it failed.' },
      {
        path: 'formState',
        name: 'form state',
        says: 'The state of useActionState, after a form sent without JavaScript.',
      },
    ],
  },
  {
    anchor: 'root-redwood',
    framework: 'redwood',
    title: 'RedwoodSDK 1',
    says: 'Two members.',
    keys: [
      { path: 'node', name: 'node', says: 'The page’s element, and a mark of where the app ends.' },
      { path: 'actionResult', name: 'action result', says: 'What an action returned.' },
    ],
  },
  {
    anchor: 'root-parcel',
    framework: 'parcel',
    title: 'Parcel 2',
    says: 'A page’s root is a list of its resources and its element. An answer to an action is an object.',
    keys: [
      { path: 'result', name: 'action result', says: 'A promise of what an action returned.' },
      { path: 'root', name: 'root', says: 'The page rendered again: its resources and its element.' },
    ],
  },
];

/** The root's member at this path; undefined when nothing is known of it. `isOld`: the root has `f` and no `t`. */
export function findRootKey(
  framework: Framework,
  way: readonly string[],
  isOld: boolean,
): { words: RootWords; key: RootKey } | undefined {
  const path = way.join('.');
  const words = rootWords.find(
    ({ framework: own, anchor }) => own === framework && (anchor !== 'root-next') === (isOld || own !== 'next'),
  );
  const key = words?.keys.find(({ path: known }) =>
    known.endsWith('*') ? path.startsWith(known.slice(0, -1)) && way.length === 1 : known === path,
  );
  return words && key && { words, key };
}
