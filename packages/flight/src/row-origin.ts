import type { Flight } from './flight.ts';
import { readText, resolveValue } from './resolve.ts';
import { readHeader, readRowTag } from './row-index.ts';
import { readRow, readRowValue } from './row.ts';
import { findEntry, readElement, readItems, type Value } from './value.ts';

/**
 * Which component rendered a row, and where that is written. Production says neither. Development writes `D` rows about a
 * row: for each component that rendered it, the outermost first, `{"name","owner","stack","props"}`, mostly in a row of its
 * own that the `D` row refers to. What a `D` row refers to may be missing: Next.js 16 and Waku send it to the browser over
 * another connection, unless they are told not to.
 *
 * A stack is a list of calls, `[function, file, line, column, line and column where the function begins, isAsync]`. The
 * stack of a component says where its element was made, which is in another component. So the row's own element and what
 * the component awaited are asked first: their stacks go through the component itself.
 */
export type RowOrigin = {
  /** The server component; undefined when only a place is known. */
  component: string | undefined;
  /** Where the component begins; where it is used when no call within it is known; undefined when neither is of the app. */
  source: SourcePlace | undefined;
};

/** As development says it: the place in the file that the server ran, which is the written one unless a bundler made it. */
export type SourcePlace = { file: string; line: number; column: number };

/** Characters of a name and of a file; a hostile payload may hold megabytes. */
const maxName = 80;
const maxFile = 300;

/** Calls of a stack that are looked at: React keeps ten. */
const maxFrames = 50;

/** `D` rows of one row that are looked at: a few for each component and each `await`. */
const maxDebugRows = 200;

/** What development says of a row's component or of something awaited: an object with `owner` and `stack`. */
type DebugInfo = { name: string | undefined; stack: readonly Frame[] };

type Frame = SourcePlace & { name: string; enclosing: { line: number; column: number } };

const debugRows = new WeakMap<Flight, ReadonlyMap<number, readonly number[]>>();

/** The `D` rows about each id, found once for a flight. */
function readDebugRows(flight: Flight): ReadonlyMap<number, readonly number[]> {
  const known = debugRows.get(flight);
  if (known) return known;
  const found = new Map<number, number[]>();
  for (let row = 0; row < flight.rows.count && flight.rows.hasDebug; row++) {
    const rowTag = readRowTag(flight.rows, row);
    if (rowTag.body !== 'json' || rowTag.kind !== 'debug') continue;
    const { id } = readHeader(flight.rows, row);
    const rows = found.get(id) ?? [];
    if (rows.length < maxDebugRows) rows.push(row);
    found.set(id, rows);
  }
  debugRows.set(flight, found);
  return found;
}

/** What the `D` rows about a row say, in the order sent: objects, looked up where they are references. */
export function readDebugValues(flight: Flight, row: number): Value[] {
  const { id } = readHeader(flight.rows, row);
  return (readDebugRows(flight).get(id) ?? []).flatMap((debugRow) => {
    const value = readRowValue(flight, debugRow);
    return value ? (lookUp(flight, value) ?? []) : [];
  });
}

/** A value, or what it refers to; undefined when that did not come. */
function lookUp(flight: Flight, value: Value | undefined): Value | undefined {
  if (!value) return undefined;
  const found = resolveValue(flight, value);
  if (found.kind === 'row') return found.row.kind === 'io' ? found.row.value : undefined;
  return found.kind === 'value' ? found.value : undefined;
}

/** What an object's entry is, or refers to. */
export function followEntry(flight: Flight, value: Value, key: string): Value | undefined {
  return value.kind === 'object' ? lookUp(flight, findEntry(flight, value, key)) : undefined;
}

export function readDebugInfo(flight: Flight, value: Value): DebugInfo {
  const name = followEntry(flight, value, 'name');
  const text = name && readText(flight, name)?.slice(0, maxName);
  return { name: text === '' ? undefined : text, stack: readStack(flight, followEntry(flight, value, 'stack')) };
}

function readStack(flight: Flight, stack: Value | undefined): Frame[] {
  if (stack?.kind !== 'array') return [];
  return readItems(flight, stack, 0, maxFrames).flatMap((item) => readFrame(flight, item));
}

/** A call as React writes it; none when it is not of the app. */
function readFrame(flight: Flight, value: Value): Frame[] {
  const call = lookUp(flight, value);
  const parts = call?.kind === 'array' ? readItems(flight, call, 0, 6) : [];
  const [name = '', file = ''] = parts.slice(0, 2).map((part) => readText(flight, part) ?? '');
  const [line = 0, column = 0, from = 0, fromColumn = 0] = parts
    .slice(2)
    .map((part) => (part.kind === 'number' ? part.value : 0));
  if (!isOfApp(file)) return [];
  return [{ name, file: cleanFile(file), line, column, enclosing: { line: from, column: fromColumn } }];
}

/** Not the runtime's, and not a package's. Turbopack names a chunk of packages `node_modules_…`. */
function isOfApp(file: string): boolean {
  return file !== '' && !/^(?:node|native|internal):|^<|(?:^|[/\\_[])node_modules[/\\_\]]/.test(file);
}

/** Takes off what bundlers and React put before a path, and the query. */
function cleanFile(file: string): string {
  const path = file.replace(/^about:\/\/React\/[^/]*\//, '').replace(/^(?:file|webpack-internal|webpack):\/\//, '');
  return path
    .replace(/^\/?\([\w-]+\)\/(?:\.\/)?/, '')
    .replace(/\?.*$/, '')
    .slice(-maxFile);
}

export function toPlace({ file, line, column }: Frame): SourcePlace {
  return { file, line, column };
}

/** The component's first line when a call within it says so; else that call. */
function findWithin(name: string, stacks: readonly (readonly Frame[])[]): SourcePlace | undefined {
  const frame = stacks.flat().find((call) => call.name === name);
  if (!frame) return undefined;
  return frame.enclosing.line > 0 ? { file: frame.file, ...frame.enclosing } : toPlace(frame);
}

/** Stacks of what the row's component did: the element that it made, and what it awaited. */
function readStacksWithin(flight: Flight, row: number, debug: readonly Value[]): (readonly Frame[])[] {
  const awaited = debug.filter((value) => value.kind === 'object' && findEntry(flight, value, 'awaited'));
  const stacks = awaited.map((value) => readStack(flight, followEntry(flight, value, 'stack')));
  const content = readRow(flight, row);
  if (content.kind !== 'model' || content.value.kind !== 'element') return stacks;
  return [readStack(flight, lookUp(flight, readElement(flight, content.value).stack)), ...stacks];
}

/**
 * What development says of a row: its component and where that is. Undefined in production, and for rows of which it says
 * nothing. Of an error the place is where it was thrown; of awaited I/O (`J`), where it was begun.
 */
export function readRowOrigin(flight: Flight, row: number): RowOrigin | undefined {
  if (!flight.rows.hasDebug) return undefined;
  // The rest are about another row, or about none: their id is not their own.
  if (!readRowTag(flight.rows, row).isReferable) return undefined;
  const debug = readDebugValues(flight, row);
  const component = debug.map((value) => readDebugInfo(flight, value)).find(({ name }) => name !== undefined);
  if (!component) return readOwnOrigin(flight, row);
  const { name = '', stack } = component;
  const [use] = stack;
  const source = findWithin(name, readStacksWithin(flight, row, debug)) ?? (use && toPlace(use));
  return { component: name, source };
}

/** Rows that say it of themselves: errors, and I/O. */
function readOwnOrigin(flight: Flight, row: number): RowOrigin | undefined {
  const content = readRow(flight, row);
  if (content.kind !== 'error' && content.kind !== 'io') return undefined;
  const { stack } = readDebugInfo(flight, content.value);
  const owner = followEntry(flight, content.value, 'owner');
  const component = owner && readDebugInfo(flight, owner).name;
  const [thrown] = stack;
  if (component === undefined && !thrown) return undefined;
  return { component, source: thrown && toPlace(thrown) };
}

/**
 * What a row names itself, where it is no part of the page: a `D` row tells of a component, or of what one awaited; a server reference has
 * its `location`. Undefined in production.
 */
export function readRowSubject(flight: Flight, row: number): RowOrigin | undefined {
  const value = readRowValue(flight, row);
  const told = value && lookUp(flight, value);
  if (told?.kind !== 'object') return undefined;
  const rowTag = readRowTag(flight.rows, row);
  if (rowTag.body === 'json' && rowTag.kind === 'debug') {
    const { name, stack } = readDebugInfo(flight, told);
    const [first] = stack;
    return name === undefined && !first ? undefined : { component: name, source: first && toPlace(first) };
  }
  const isReference = findEntry(flight, told, 'id') && findEntry(flight, told, 'bound');
  const location = isReference && findEntry(flight, told, 'location');
  const [frame] = location ? readFrame(flight, location) : [];
  return frame && { component: undefined, source: toPlace(frame) };
}

/** Which component made an element of a development server, and where; undefined in production. */
export function readElementOrigin(flight: Flight, element: Value): RowOrigin | undefined {
  const { owner, stack } = readElement(flight, element);
  const maker = lookUp(flight, owner);
  const component = maker && readDebugInfo(flight, maker).name;
  const [made] = readStack(flight, lookUp(flight, stack));
  return component === undefined && !made ? undefined : { component, source: made && toPlace(made) };
}

/** `<Reviews> (app/reviews.tsx:12)`, with the last two parts of the path; without a file that Next.js compiled. */
export function printRowOrigin({ component, source }: RowOrigin): string {
  const name = component === undefined ? '' : `<${component}>`;
  if (!source || /[/\\]\.next[/\\]/.test(source.file)) return name;
  const place = `${source.file.split(/[/\\]/).slice(-2).join('/')}:${source.line}`;
  return name === '' ? place : `${name} (${place})`;
}
