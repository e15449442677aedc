import type { Flight } from './flight.ts';
import type { HtmlFlightSource } from './from-html.ts';
import type { FrameworkRecord } from './frameworks/framework-record.ts';
import { frameworkRecords, type Framework } from './frameworks/framework-records.ts';
import { readPayload, readRootKeys, type PayloadReader } from './payload-reader.ts';
import { readRowTag } from './row-index.ts';
import { rowTags, type RowTag } from './row-tags.ts';
import { codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, objectKind, stepAt } from './tape.ts';
import { readString } from './value-text.ts';

/**
 * Which framework and which React wrote a payload, as far as it shows: each framework gives the root row a shape of its
 * own (`frameworks/`), and each line of React writes something that older ones do not. A guess says what it is based on.
 * Source for React: react-server-dom-webpack 19.0 to 19.3.
 */
export type Guess<T> = { guess: T; because: string };

function guessByRoot(reader: PayloadReader): Guess<Framework> | undefined {
  const keys = readRootKeys(reader);
  for (const { name, rootShapes } of frameworkRecords) {
    const shape = rootShapes.find((candidate) => candidate.every((key) => keys.includes(key)));
    if (shape) return { guess: name, because: `the root has ${shape.join(', ')}` };
  }
  return findSign(({ findSign: find }) => find?.(reader, keys));
}

function findSign(find: (record: FrameworkRecord) => string | undefined): Guess<Framework> | undefined {
  for (const record of frameworkRecords) {
    const because = find(record);
    if (because !== undefined) return { guess: record.name, because };
  }
  return undefined;
}

function guessByModules(reader: PayloadReader): Guess<Framework> | undefined {
  for (const module of reader.readModules()) {
    const guess = findSign(({ findModuleSign }) => findModuleSign?.(module));
    if (guess) return guess;
  }
  return undefined;
}

export function guessFrameworkOf(reader: PayloadReader): Guess<Framework> | undefined {
  return guessByRoot(reader) ?? guessByModules(reader) ?? findSign(({ findLateSign }) => findLateSign?.(reader));
}

/**
 * The framework whose shape the root has, or whose files the client modules are, or whose scripts a page's payload was in
 * (`source`, of the page); undefined when none shows it.
 */
export function guessFramework(flight: Flight, source?: HtmlFlightSource): Guess<Framework> | undefined {
  return (
    guessFrameworkOf(readPayload(flight)) ??
    (source && findSign(({ pageSource }) => (pageSource?.source === source ? pageSource.because : undefined)))
  );
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
