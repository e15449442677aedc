import type { Flight } from './flight.ts';
import { readModules } from './modules.ts';
import { readRowTag } from './row-index.ts';
import { rowTags, type RowTag } from './row-tags.ts';
import { readRowValue } from './row.ts';
import { codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, stepAt } from './tape.ts';
import { readEntries, type Value } from './value.ts';
import { readString } from './value-text.ts';

/**
 * Which framework and which React wrote a payload, as far as it shows: each framework gives the root row a shape of its
 * own, and each line of React writes something that older ones do not. A guess says what it is based on. Sources: the payloads and sources of Waku 1.0.0-rc.1, Next.js 15 and 16.4,
 * React Router 7, @vitejs/plugin-rsc 0.5, RedwoodSDK; and react-server-dom-webpack 19.0 to 19.3.
 */
export type Framework = 'waku' | 'next' | 'react-router' | 'vite-rsc' | 'redwood' | 'parcel';

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
  { framework: 'next', keys: ['a', 'q', 'i', 'b'] },
  { framework: 'next', keys: ['f', 'S', 'b'] },
  { framework: 'next', keys: ['buildId', 'tree', 'staleTime'] },
  { framework: 'next', keys: ['rsc', 'isPartial'] },
  { framework: 'react-router', keys: ['type', 'routeDiscovery'] },
  { framework: 'react-router', keys: ['type', 'matches', 'location'] },
  { framework: 'vite-rsc', keys: ['root', 'returnValue', 'formState'] },
  { framework: 'redwood', keys: ['node', 'actionResult'] },
];

/** Roots have tens of keys. */
const maxRootKeys = 500;
const wakuKey = /^(?:layout|page|route|slice):/;

function readRootKeys(flight: Flight): string[] {
  const root: Value | undefined = flight.root === undefined ? undefined : readRowValue(flight, flight.root);
  return root?.kind === 'object' ? readEntries(flight, root, 0, maxRootKeys).map(({ key }) => key) : [];
}

/** The framework whose shape the root has, or whose files the client modules are; undefined when neither shows one. */
export function guessFramework(flight: Flight): Guess<Framework> | undefined {
  const keys = readRootKeys(flight);
  const shape = rootShapes.find((candidate) => candidate.keys.every((key) => keys.includes(key)));
  if (shape) return { guess: shape.framework, because: `the root has ${shape.keys.join(', ')}` };
  const own = keys.find((key) => wakuKey.test(key));
  if (own !== undefined) return { guess: 'waku', because: `the root has ${own}` };
  for (const { bundler, chunks } of readModules(flight)) {
    if (chunks.some((chunk) => chunk.startsWith('static/chunks/') || chunk.includes('/_next/static/'))) {
      return { guess: 'next', because: 'a client module is in static/chunks' };
    }
    if (bundler === 'parcel') return { guess: 'parcel', because: 'a client module has Parcel’s metadata' };
  }
  return undefined;
}

/** React's lines; `19.0` stands for what shows nothing newer. */
export type ReactLine = '19.0' | '19.1' | '19.2' | '19.3';

/** `tags`: those that it has and 19.0 does not write. */
type Marks = { tags: ReadonlySet<RowTag>; hasModuleReference: boolean };

/** Rows, and `$` forms in `I` rows, that only newer lines write. */
function readMarks(flight: Flight): Marks {
  const tags = new Set<RowTag>();
  let hasModuleReference = false;
  const { rows, tape } = flight;
  for (let row = 0; row < rows.count; row++) {
    const rowTag = readRowTag(rows, row);
    if (rowTag.since) tags.add(rowTag);
    const model = rows.models[row] ?? 0;
    if (rowTag.role !== 'module' || model === 0 || hasModuleReference) continue;
    const end = nextAt(tape, model - 1);
    for (let at = model - 1; at < end; at = stepAt(tape, at)) {
      const kind = kindAt(tape, at);
      if (kind !== dollarKind && kind !== codedDollarKind) continue;
      if (/^\$[0-9a-f]+$/.test(readString(flight, at))) hasModuleReference = true;
    }
  }
  return { tags, hasModuleReference };
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
  const { tags, hasModuleReference } = readMarks(flight);
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
  return { guess: '19.0', because: 'nothing in it is newer', isDevelopment };
}
