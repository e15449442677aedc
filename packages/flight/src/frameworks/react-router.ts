import { readAt, readList, readRootKeys, textOf, type PayloadReader } from '../payload-reader.ts';

import { noFacts, type FrameworkRecord, type PayloadRequest, type RootFacts } from './framework-record.ts';

/** Nested routes of one page. */
const maxMatches = 100;

/** The root says what it is for: keys that are there for each `type`, and what each is. */
const types: ReadonlyMap<string, { readonly key: string; readonly purpose: RootFacts['purpose'] }> = new Map([
  ['render', { key: 'matches', purpose: 'page' }],
  ['redirect', { key: 'location', purpose: 'redirect' }],
  ['manifest', { key: 'patches', purpose: 'manifest' }],
  ['action', { key: 'actionResult', purpose: 'action' }],
]);

/** What the payload says it is for; undefined for one of another framework. */
function readType(reader: PayloadReader): string | undefined {
  const type = textOf(readAt(reader, reader.root, 'type'));
  const companion = types.get(type ?? '')?.key;
  return companion !== undefined && readRootKeys(reader).includes(companion) ? type : undefined;
}

function readFacts(reader: PayloadReader): RootFacts {
  const purpose = types.get(readType(reader) ?? '')?.purpose;
  const location = readAt(reader, reader.root, 'location');
  if (purpose === 'redirect') return { ...noFacts, purpose, redirect: textOf(location) };
  const matches = readList(reader, readAt(reader, reader.root, 'matches'), maxMatches);
  const paths = matches.flatMap((match) => textOf(readAt(reader, match, 'path')) || []);
  const path = textOf(readAt(reader, location, 'pathname'));
  // Of an address that no route has, the root alone is there.
  const isNowhere = matches.length === 0 || (matches.length === 1 && paths.length === 0 && path !== '/');
  return {
    ...noFacts,
    purpose,
    route: isNowhere ? undefined : `/${paths.join('/')}`.replaceAll(/\/{2,}/g, '/'),
    routeIds: matches.flatMap((match) => textOf(readAt(reader, match, 'id')) ?? []),
    path,
    build: readBuild(reader),
  };
}

/** The manifest's version. An action's answer has it in what was rendered again. Version 7 says none. */
function readBuild(reader: PayloadReader): string | undefined {
  const { root } = reader;
  return textOf(
    readAt(reader, root, 'clientVersion') ?? readAt(reader, readAt(reader, root, 'rerender'), 'clientVersion'),
  );
}

function askPayload(page: string): PayloadRequest {
  const url = new URL(page);
  url.pathname += url.pathname.endsWith('/') ? '_.rsc' : '.rsc';
  return { url: url.href, headers: [] };
}

/** Sources: React Router 7.18 and 8.4, their payloads; singleFetchUrl in 7.16. */
export const reactRouter = {
  name: 'react-router',
  label: 'React Router',
  rootShapes: [],
  findSign(reader) {
    const type = readType(reader);
    return type && `the root’s type is ${type}`;
  },
  scriptSign: '__reactRouter',
  readFacts,
  modulePath: /node_modules[/\\](?:react-router|@react-router)[/\\]/,
  moduleExports: new Set([
    'UNSAFE_WithComponentProps',
    'UNSAFE_WithHydrateFallbackProps',
    'UNSAFE_WithErrorBoundaryProps',
  ]),
  addedExports: new Set(['EnsureClientRouteModuleForHMR___']),
  askPayload,
} as const satisfies FrameworkRecord;
