import type { Flight } from './flight.ts';
import type { HtmlFlightSource } from './from-html.ts';
import { readAt, readPayload, textOf, type PayloadReader } from './payload-reader.ts';
import { readNextRoute, readOldAction } from './next-route.ts';
import { readRowTag } from './row-index.ts';
import { rowTags, type RowTag } from './row-tags.ts';
import { codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, objectKind, stepAt } from './tape.ts';
import { readEntries } from './value.ts';
import { readString } from './value-text.ts';

/**
 * Which framework and which React wrote a payload, as far as it shows: each framework gives the root row a shape of its
 * own, and each line of React writes something that older ones do not. A guess says what it is based on. Sources: the payloads and sources of Waku
 * 1.0.0-rc.1, Next.js 13.4 to 16.4, React Router 7 and 8, @vitejs/plugin-rsc 0.5, RedwoodSDK, TanStack Start 1.169, Parcel
 * 2.16; and react-server-dom-webpack 19.0 to 19.3.
 */
export type Framework = 'waku' | 'next' | 'react-router' | 'vite-rsc' | 'redwood' | 'parcel' | 'tanstack-start';

export type Guess<T> = { guess: T; because: string };

/** Keys of the root object that identify a framework; all keys of one list must be there. */
const rootShapes: readonly { framework: Framework; keys: readonly string[] }[] = [
  { framework: 'waku', keys: ['ROUTE', 'IS_STATIC'] },
  { framework: 'waku', keys: ['_value'] },
  { framework: 'waku', keys: ['_buildId'] },
  { framework: 'next', keys: ['P', 'c', 'f', 'G'] },
  { framework: 'next', keys: ['b', 'c', 'f', 'G'] },
  { framework: 'next', keys: ['q', 'i', 'S', 'r', 'b', 't'] },
  { framework: 'next', keys: ['a', 'f', 'b'] },
  { framework: 'next', keys: ['a', 'q', 'i'] },
  { framework: 'next', keys: ['q', 'i', 'S'] },
  { framework: 'next', keys: ['f', 'S', 'b'] },
  { framework: 'next', keys: ['buildId', 'tree', 'staleTime'] },
  { framework: 'next', keys: ['rsc', 'isPartial'] },
  { framework: 'vite-rsc', keys: ['root', 'returnValue'] },
  { framework: 'redwood', keys: ['node', 'actionResult'] },
  { framework: 'tanstack-start', keys: ['__tanstackStartRscValue'] },
  { framework: 'parcel', keys: ['result', 'root'] },
];

/** React Router's root says what it is for: keys that are there for each `type`. */
const reactRouterTypes = new Map([
  ['render', 'matches'],
  ['redirect', 'location'],
  ['manifest', 'patches'],
  ['action', 'actionResult'],
]);

/** Roots have tens of keys. */
const maxRootKeys = 500;
const wakuKey = /^(?:layout|page|route|slice):/;

export function readRootKeys({ root }: PayloadReader): string[] {
  if (root?.value.kind !== 'object') return [];
  return readEntries(root.flight, root.value, 0, maxRootKeys).map(({ key }) => key);
}

/** What React Router says its payload is for; undefined for one of another. */
export function readReactRouterType(reader: PayloadReader): string | undefined {
  const type = textOf(readAt(reader, reader.root, 'type'));
  const companion = reactRouterTypes.get(type ?? '');
  return companion !== undefined && readRootKeys(reader).includes(companion) ? type : undefined;
}

function guessByRoot(reader: PayloadReader): Guess<Framework> | undefined {
  const keys = readRootKeys(reader);
  const shape = rootShapes.find((candidate) => candidate.keys.every((key) => keys.includes(key)));
  if (shape) return { guess: shape.framework, because: `the root has ${shape.keys.join(', ')}` };
  const own = keys.find((key) => wakuKey.test(key));
  if (own !== undefined) return { guess: 'waku', because: `the root has ${own}` };
  const type = readReactRouterType(reader);
  if (type !== undefined) return { guess: 'react-router', because: `the root’s type is ${type}` };
  // Next 16.4 puts a payload's tree in `t`; prefetched segments have little else.
  const segment = readAt(reader, readAt(reader, readAt(reader, reader.root, 't'), 't'), 's');
  if (segment) return { guess: 'next', because: 'the root has a tree of segments' };
  return undefined;
}

function guessByModules(reader: PayloadReader): Guess<Framework> | undefined {
  for (const { bundler, chunks } of reader.readModules()) {
    if (chunks.some((chunk) => /(?:^|:)static\/chunks\//.test(chunk) || chunk.includes('/_next/static/'))) {
      return { guess: 'next', because: 'a client module is in static/chunks' };
    }
    if (bundler === 'parcel') return { guess: 'parcel', because: 'a client module has Parcel’s metadata' };
  }
  return undefined;
}

/** What scripts hand a page's payload over with, where they are a framework's own. */
const pageSources: Partial<Record<HtmlFlightSource, Guess<Framework>>> = {
  next: { guess: 'next', because: 'the page hands it over in __next_f' },
  'tanstack-start': { guess: 'tanstack-start', because: 'the page hands it over in $_TSR' },
};

export function guessFrameworkOf(reader: PayloadReader): Guess<Framework> | undefined {
  const guess = guessByRoot(reader) ?? guessByModules(reader);
  if (!guess && reader.root && readOldAction(reader.root)) {
    return { guess: 'next', because: 'the root has an action’s result and a build' };
  }
  if (guess || readNextRoute(reader) === undefined) return guess;
  return { guess: 'next', because: 'the root has a tree of segments' };
}

/**
 * The framework whose shape the root has, or whose files the client modules are, or whose scripts a page's payload was in
 * (`source`, of the page); undefined when none shows it.
 */
export function guessFramework(flight: Flight, source?: HtmlFlightSource): Guess<Framework> | undefined {
  return guessFrameworkOf(readPayload(flight)) ?? (source && pageSources[source]);
}

/** React's lines; `19.0` stands for what shows nothing newer, and nothing older. */
export type ReactLine = '18.3' | '19.0' | '19.1' | '19.2' | '19.3';

/** `tags`: those that it has and 19.0 does not write. */
type Marks = { tags: ReadonlySet<RowTag>; hasModuleReference: boolean; hasModuleObject: boolean };

/** Rows, and `$` forms in `I` rows, that only newer lines write. */
function readMarks(flight: Flight): Marks {
  const tags = new Set<RowTag>();
  let hasModuleReference = false;
  let hasModuleObject = false;
  const { rows, tape } = flight;
  for (let row = 0; row < rows.count; row++) {
    const rowTag = readRowTag(rows, row);
    if (rowTag.since) tags.add(rowTag);
    const model = rows.models[row] ?? 0;
    if (rowTag.role !== 'module' || model === 0) continue;
    if (kindAt(tape, model - 1) === objectKind) hasModuleObject = true;
    if (hasModuleReference) continue;
    const end = nextAt(tape, model - 1);
    for (let at = model - 1; at < end; at = stepAt(tape, at)) {
      const kind = kindAt(tape, at);
      if (kind !== dollarKind && kind !== codedDollarKind) continue;
      if (/^\$[0-9a-f]+$/.test(readString(flight, at))) hasModuleReference = true;
    }
  }
  return { tags, hasModuleReference, hasModuleObject };
}

/** Whether an element says more of itself in development than its owner, which is all that 19.0 says. */
function hasElementStack({ rows, tape }: Flight): boolean {
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    if (model === 0 || readRowTag(rows, row).role !== 'model') continue;
    const end = nextAt(tape, model - 1);
    for (let at = model - 1; at < end; at = stepAt(tape, at)) {
      if (kindAt(tape, at) === elementKind && countItems(tape, at) > 5) return true;
    }
  }
  return false;
}

function countItems(tape: Flight['tape'], container: number): number {
  let count = 0;
  const end = itemsEnd(tape, container);
  for (let at = container + 2; at < end; at = nextAt(tape, at)) count++;
  return count;
}

/** The oldest line of React that writes what the payload has, and whether a development server wrote it. */
export function guessReact(flight: Flight): Guess<ReactLine> & { isDevelopment: boolean } {
  const { tags, hasModuleReference, hasModuleObject } = readMarks(flight);
  const isDevelopment = flight.rows.hasDebug;
  if (hasModuleReference) {
    return { guess: '19.3', because: 'client modules refer to strings in rows of their own', isDevelopment };
  }
  for (const guess of ['19.3', '19.2'] as const) {
    const newer = rowTags.find((rowTag) => rowTag.since === guess && tags.has(rowTag));
    if (newer) return { guess, because: `there are ${newer.tag} rows`, isDevelopment };
  }
  if (isDevelopment && hasElementStack(flight)) {
    return { guess: '19.1', because: 'elements say where they were made', isDevelopment };
  }
  if (hasModuleObject) return { guess: '18.3', because: 'client modules are named by objects', isDevelopment };
  return { guess: '19.0', because: 'nothing in it is newer', isDevelopment };
}
