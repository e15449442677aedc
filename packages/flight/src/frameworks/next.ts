import { partAt } from '../element-names.ts';
import type { Flight } from '../flight.ts';
import type { ElementPlace, KnownModule } from '../modules.ts';
import { readNextBuild } from './next-build.ts';
import { readNextRoute, readOldAction } from './next-route.ts';
import { readAt, readList, readRootKeys, textOf, type PayloadReader } from '../payload-reader.ts';
import { findRow } from '../row-index.ts';
import { readElement, readEntries, readValue, type Value } from '../value.ts';

import { noFacts, type FrameworkRecord, type PayloadRequest, type RootFacts } from './framework-record.ts';

const maxPathParts = 100;

function readFacts(reader: PayloadReader): RootFacts {
  const parts = readList(reader, readAt(reader, reader.root, 'c'), maxPathParts).map((part) => textOf(part) ?? '');
  const path = parts.length > 1 ? parts.join('/').split('?', 1)[0] : undefined;
  // Its tree is that of the home page.
  const route = path === '/_global-error' ? path : readNextRoute(reader);
  return { ...noFacts, route, path, purpose: readPurpose(reader), build: readNextBuild(reader) };
}

/**
 * A document has `G`, its error boundary, and a navigation says `S`. Until 16.3 what was rendered is the array `f`. In an
 * action's answer `f` is an empty text when nothing was rendered. Since 16.4 `q`, the query, is in all that was rendered for
 * a request. A prefetched tree or segment has neither, though `a` and `f` mean something else there.
 */
function readPurpose(reader: PayloadReader): RootFacts['purpose'] {
  const keys = readRootKeys(reader);
  const has = (key: string): boolean => keys.includes(key);
  if (reader.root && readOldAction(reader.root)) return 'action';
  if (keys.length === 0 || has('G') || has('S')) return 'page';
  const rendered = readAt(reader, reader.root, 'f')?.value.kind;
  const isRendered = has('q') || rendered === 'array' || rendered === 'string';
  if (!isRendered) return 'prefetch';
  return has('a') ? 'action' : 'page';
}

/**
 * Finds used modules. In Next.js's own modules the layout router is told by its props; webpack's have no file, since every page loads
 * theirs.
 */
function* findUsedModules(flight: Flight, modules: readonly KnownModule[]): Generator<number> {
  for (const { row, bundler, chunks, element } of modules) {
    const router = element && readRouterTemplate(flight, element);
    if (router) {
      yield row;
      if (router.template !== undefined) yield router.template;
    }
    // Turbopack names at least one file.
    if (bundler === 'webpack' && chunks.length === 0) yield row;
  }
}

/**
 * Next.js's layout router gets `parallelRouterKey`, and in `template` an element of another module of its own, unless the app
 * has a `template.js` in this place.
 */
function readRouterTemplate(flight: Flight, { row, at }: ElementPlace): { template: number | undefined } | undefined {
  const props = partAt(flight, at, 3);
  if (props === undefined) return undefined;
  const entries = readEntries(flight, readValue(flight, row, props), 0, 30);
  if (!entries.some(({ key }) => key === 'parallelRouterKey')) return undefined;
  return { template: readBareModule(flight, entries.find(({ key }) => key === 'template')?.value) };
}

/** The module row of an element without props. */
function readBareModule(flight: Flight, value: Value | undefined): number | undefined {
  if (value?.kind !== 'element') return undefined;
  const { type, props } = readElement(flight, value);
  if (type.kind !== 'lazy' || (props && readEntries(flight, props, 0, 1).length > 0)) return undefined;
  return findRow(flight.rows, type.id);
}

/** What the client of a visitor on another page sends: the root layout, which it has, is not part of the answer, and the page is. */
const stateTree = encodeURIComponent(
  JSON.stringify(['', { children: ['another-page', { children: ['__PAGE__', {}] }] }]),
);

/** Prefetch, segment prefetch, state tree and URL, `0` for what is not sent: 12 bytes of SHA-256. */
function writeHashed(prefetch: '0' | '1'): string {
  return [prefetch, '0', stateTree, '0'].join(',');
}
const hashBytes = 12;

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

function ask(page: string, sha256: (text: string) => Uint8Array, prefetch: '0' | '1'): PayloadRequest {
  const url = new URL(page);
  // The query must match the headers: Next 16 answers another one with a redirect to the right one, older ones ignore it.
  const rest = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/^_rsc(?:=|$)/.test(pair));
  url.search = [...rest, `_rsc=${toBase64Url(sha256(writeHashed(prefetch)).subarray(0, hashBytes))}`].join('&');
  return {
    url: url.href,
    headers: [
      ['RSC', '1'],
      ['Next-Router-State-Tree', stateTree],
      ...(prefetch === '1' ? [['Next-Router-Prefetch', '1'] as const] : []),
    ],
  };
}

/** Next 16.4 puts a payload's tree in `t`; prefetched segments have little else. */
function hasSegments(reader: PayloadReader): boolean {
  return readAt(reader, readAt(reader, readAt(reader, reader.root, 't'), 't'), 's') !== undefined;
}

const segmentsSign = 'the root has a tree of segments';

/** Sources: Next.js 13.4 to 16.4; fetch-server-response.ts in 16.4. */
export const next = {
  name: 'next',
  label: 'Next.js',
  rootShapes: [
    ['P', 'c', 'f', 'G'],
    ['b', 'c', 'f', 'G'],
    ['q', 'i', 'S', 'r', 'b', 't'],
    ['a', 'f', 'b'],
    ['a', 'q', 'i'],
    ['q', 'i', 'S'],
    ['f', 'S', 'b'],
    ['buildId', 'tree', 'staleTime'],
    ['rsc', 'isPartial'],
  ],
  findSign: (reader) => (hasSegments(reader) ? segmentsSign : undefined),
  findModuleSign({ chunks }) {
    const isOwn = chunks.some((chunk) => /(?:^|:)static\/chunks\//.test(chunk) || chunk.includes('/_next/static/'));
    return isOwn ? 'a client module is in static/chunks' : undefined;
  },
  findLateSign(reader) {
    if (reader.root && readOldAction(reader.root)) return 'the root has an action’s result and a build';
    return readNextRoute(reader) === undefined ? undefined : segmentsSign;
  },
  pageSource: { source: 'next', because: 'the page hands it over in __next_f' },
  scriptSign: '__next_f',
  readFacts,
  modulePath: /(?:^|[/\\])next[/\\]dist[/\\]/,
  moduleExports: new Set([
    'OutletBoundary',
    'ViewportBoundary',
    'MetadataBoundary',
    'RootLayoutBoundary',
    'AsyncMetadata',
    'AsyncMetadataOutlet',
    'ClientPageRoot',
    'ClientSegmentRoot',
    'HTTPAccessFallbackBoundary',
    'NotFoundBoundary',
    'LoadingBoundaryProvider',
    'IconMark',
    'SegmentViewNode',
    'SegmentViewStateNode',
  ]),
  findUsedModules,
  askPayload: (page, sha256) => ask(page, sha256, '0'),
  askPrefetch: (page, sha256) => ask(page, sha256, '1'),
} as const satisfies FrameworkRecord;
