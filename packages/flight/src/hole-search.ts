import { readDollar, type DollarForm } from './dollar.ts';
import { createElementNames, partAt, type ElementNames } from './element-names.ts';
import type { Flight } from './flight.ts';
import { placeOf, type Place } from './place.ts';
import { findRow, readRowTag } from './row-index.ts';
import { readRow } from './row.ts';
import { codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, objectKind, stepAt } from './tape.ts';
import { readString } from './value-text.ts';

/**
 * The walk behind holes.ts: from the root through everything that the page leads to, and for each `$L` and `$@` on the way,
 * what waits for its row.
 *
 * A lazy is a part of the page, so its Suspense boundary waits for it. So does a promise where React expects a node. A promise
 * in the props of a client component is different: only that component's code says whether anything waits for it. The same
 * holds for promises in the data that a framework puts around the page.
 */
export type SearchedBoundary = {
  /** The row and the place on the tape of the Suspense element; of the page, the root and -1. */
  readonly row: number;
  readonly at: number;
  /** The first `maxRowsOfOne`. */
  readonly rows: SearchedRow[];
  /** The last that came, of all. */
  last: (SearchedRow & { readonly row: number }) | undefined;
  isFailed: boolean;
  isOpen: boolean;
};

type SearchedRow = {
  readonly id: number;
  /** Undefined when it never came. */
  readonly row: number | undefined;
  readonly how: 'lazy' | 'promise';
  readonly place: Place;
  readonly around: Around;
};

/**
 * The client code between a value and the boundary, or the page, that it is in: the innermost client component around it; a
 * framework, of what stands in the data of the root; or none.
 */
export type Around =
  | { readonly kind: 'none' }
  | { readonly kind: 'client'; readonly name: string }
  | { readonly kind: 'framework' };

/** A promise that client code is given. */
export type SearchedPromise = Omit<SearchedRow, 'how'>;

export type SearchedHoles = {
  /** The page first, then the boundaries as they were met. */
  readonly boundaries: readonly SearchedBoundary[];
  /** Each once. */
  readonly promises: readonly SearchedPromise[];
};

/** Boundaries, promises, and rows of one boundary that are told apart: in a list of thousands, each item may be lazy. */
const maxHoles = 1000;
const maxRowsOfOne = 200;

/**
 * What a promise here would be: data of the root, until an element or an object is met; a node; or data of client code.
 */
type Role = 'root' | 'node' | 'data';
type Scope = { readonly boundary: SearchedBoundary; readonly around: Around; readonly role: Role };
type Task = { readonly row: number; readonly scope: Scope };
type Search = {
  readonly flight: Flight;
  readonly names: ElementNames;
  readonly boundaries: SearchedBoundary[];
  readonly promises: Map<number, SearchedPromise>;
  readonly tasks: Task[];
  readonly seen: Uint8Array;
};

function createBoundary(row: number, at: number): SearchedBoundary {
  return { row, at, rows: [], last: undefined, isFailed: false, isOpen: false };
}

export function searchHoles(flight: Flight, root: number): SearchedHoles {
  const page = createBoundary(root, -1);
  const search: Search = {
    flight,
    names: createElementNames(flight),
    boundaries: [page],
    promises: new Map(),
    tasks: [{ row: root, scope: { boundary: page, around: { kind: 'none' }, role: 'root' } }],
    seen: new Uint8Array(flight.rows.count),
  };
  search.seen[root] = 1;
  for (let next = search.tasks.pop(); next; next = search.tasks.pop()) searchRow(search, next);
  return { boundaries: search.boundaries, promises: [...search.promises.values()] };
}

/** The tape up to `end` is within `scope`. Then the walk goes on at `next`; -1 for the very next place. */
type Span = { readonly end: number; readonly scope: Scope; readonly next: number };

function searchRow(search: Search, { row, scope }: Task): void {
  const { flight } = search;
  const { tape } = flight;
  const model = flight.rows.models[row] ?? 0;
  if (model === 0 || readRowTag(flight.rows, row).role !== 'model') return;
  const open: Span[] = [{ end: nextAt(tape, model - 1), scope, next: -1 }];
  /** Places of fallbacks met later in this row: they are shown outside their boundary. */
  const fallbacks = new Map<number, Scope>();
  for (let at = model - 1; ;) {
    let top = open.at(-1);
    while (top && at >= top.end) {
      open.pop();
      if (top.next >= 0) at = top.next;
      top = open.at(-1);
    }
    if (!top) return;
    const outer = fallbacks.get(at);
    if (outer) {
      fallbacks.delete(at);
      top = { end: nextAt(tape, at), scope: outer, next: -1 };
      open.push(top);
    }
    const kind = kindAt(tape, at);
    if (kind === elementKind) {
      const inner = openElement(search, row, at, top.scope);
      const fallback = inner.boundary === top.scope.boundary ? undefined : fallbackAt(flight, at);
      if (fallback !== undefined) fallbacks.set(fallback, { ...top.scope, role: 'node' });
      // Owner and stack are only there in development, and not on the page.
      open.push({ end: partAt(flight, at, 4) ?? itemsEnd(tape, at), scope: inner, next: nextAt(tape, at) });
    } else if (kind === objectKind && top.scope.role === 'root') {
      open.push({
        end: itemsEnd(tape, at),
        scope: { ...top.scope, around: { kind: 'framework' }, role: 'data' },
        next: -1,
      });
    } else if (kind === dollarKind || kind === codedDollarKind) meetReference(search, row, at, top.scope);
    at = stepAt(tape, at);
  }
}

/** The place of an element's `fallback`; undefined when its props are in another row, or have none. */
function fallbackAt(flight: Flight, element: number): number | undefined {
  const { tape } = flight;
  const props = partAt(flight, element, 3);
  if (props === undefined || kindAt(tape, props) !== objectKind) return undefined;
  const end = itemsEnd(tape, props);
  for (let key = props + 2; key < end; key = nextAt(tape, key + 2)) {
    if (readString(flight, key) === 'fallback') return key + 2;
  }
  return undefined;
}

/** What is inside an element: in a new boundary for Suspense, data of the component for a client component. */
function openElement({ names, boundaries }: Search, row: number, at: number, outer: Scope): Scope {
  const { name, kind } = names.typeOf(row, at);
  if (kind === 'react' && name === 'Suspense' && boundaries.length < maxHoles) {
    const boundary = createBoundary(row, at);
    boundaries.push(boundary);
    return { boundary, around: { kind: 'none' }, role: 'node' };
  }
  if (kind === 'host' || kind === 'react') return { ...outer, role: 'node' };
  // A type that has not come is a client component's, too.
  return { ...outer, around: { kind: 'client', name }, role: 'data' };
}

/** How a form waits for its row; undefined for those that do not. */
function readWait(form: DollarForm): SearchedRow['how'] | undefined {
  if (form.kind === 'lazy') return 'lazy';
  return form.kind === 'promise' ? 'promise' : undefined;
}

function meetReference(search: Search, row: number, at: number, scope: Scope): void {
  const { flight, seen } = search;
  const form = readDollar(readString(flight, at), flight.direction);
  // What an action is bound to waits until somebody calls it.
  if (!('id' in form) || form.kind === 'server-reference') return;
  const target = findRow(flight.rows, form.id);
  // A client module is loaded, not waited for in the payload.
  if (target !== undefined && readRowTag(flight.rows, target).role === 'module') return;
  const how = readWait(form);
  const isGiven = how === 'promise' && scope.role === 'data';
  const since = isGiven ? row : scope.boundary.row;
  if (how && (target === undefined || target > since)) {
    const awaited = { id: form.id, row: target, place: placeOf(flight, row, at), around: scope.around };
    if (isGiven) addPromise(search, awaited);
    else addRow(flight, scope.boundary, { ...awaited, how });
  }
  if (target === undefined || seen[target] === 1) return;
  seen[target] = 1;
  // What is in such a promise is shown when client code says so, if at all: no boundary of the payload waits for it.
  const boundary = isGiven ? createBoundary(row, -1) : scope.boundary;
  search.tasks.push({ row: target, scope: { ...scope, boundary } });
}

function addPromise({ promises }: Search, promise: SearchedPromise): void {
  if (!promises.has(promise.id) && promises.size < maxHoles) promises.set(promise.id, promise);
}

function addRow(flight: Flight, boundary: SearchedBoundary, awaited: SearchedRow): void {
  const { row } = awaited;
  const { rows, last } = boundary;
  if (row === undefined) boundary.isOpen = true;
  else {
    if (isError(flight, row)) boundary.isFailed = true;
    if (!last || row > last.row) boundary.last = { ...awaited, row };
  }
  const isKnown = rows.some(({ id }) => id === awaited.id);
  if (!isKnown && rows.length < maxRowsOfOne) rows.push(awaited);
}

/** An error row, or one that was given up for an error. */
export function isError(flight: Flight, row: number): boolean {
  const content = readRow(flight, row);
  if (content.kind === 'error') return true;
  if (content.kind !== 'model' || content.value.kind !== 'reference') return false;
  const target = findRow(flight.rows, content.value.id);
  return target !== undefined && readRowTag(flight.rows, target).role === 'error';
}
