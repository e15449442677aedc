import { createClock, type ChunkTime } from './chunk-times.ts';
import { readDollar, type DollarForm } from './dollar.ts';
import { createElementNames, partAt, type ElementNames } from './element-names.ts';
import type { Flight } from './flight.ts';
import { placeOf, type Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { findPromises } from './promised-rows.ts';
import { readAwaits, type Awaited } from './row-awaits.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { readRowOrigin, type RowOrigin } from './row-origin.ts';
import { readRow } from './row.ts';
import {
  codedDollarKind,
  dollarKind,
  elementKind,
  itemsEnd,
  kindAt,
  nextAt,
  objectKind,
  startAt,
  stepAt,
} from './tape.ts';
import { readValue, findEntry, readElement } from './value.ts';
import { readString } from './value-text.ts';

/**
 * Holes: what a page waited for. A Suspense boundary is sent with `$L3` or `$@3` in it; the row 3 comes later, or never,
 * and until then the boundary shows its fallback. A hole outside all boundaries holds what the framework put around the
 * payload: with React alone, the whole page.
 *
 * A boundary waits for the rows within it that came after it, and for the rows within those, until the next boundary.
 *
 * Whoever shows or tells waits takes them from here: the waterfall's lanes and the findings say the same then. When each
 * row was promised is `findPromises`.
 */
export type Hole = {
  /** The Suspense element; undefined for what is in none. */
  boundary: Place | undefined;
  /** The number of the boundary among those of the payload, in the order of the bytes, from 1; 0 for the page. */
  number: number;
  /** `Suspense`, with its name, its key, or its number when there are several; `the page`. */
  name: string;
  fallback: string | undefined;
  /** The rows waited for, in the order they came; those that never came last. */
  rows: readonly AwaitedRow[];
  /**
   * - filled: every row came;
   * - failed: one of them is an error;
   * - open: one never came.
   */
  state: 'filled' | 'failed' | 'open';
  /** The row that came last, in a few words: what filled it. */
  filledBy: string | undefined;
  /** Of that row, in development: the component it is from, and what the server awaited for it, the longest first. */
  origin: RowOrigin | undefined;
  awaits: readonly Awaited[];
  /** Bytes between the boundary and the last row it waited for: the order of waits, when times are unknown. */
  bytesLater: number;
  /** Milliseconds since the start: when the boundary came, and the last of its rows; undefined when unknown. */
  from: number | undefined;
  until: number | undefined;
  /** How long it showed its fallback. */
  waitedMs: number | undefined;
};

export type AwaitedRow = {
  id: number;
  /** Undefined when it never came. */
  row: number | undefined;
  how: 'lazy' | 'promise';
  /** Where it is waited for. */
  place: Place;
  /** Milliseconds since the start: when the row that promised it had come, and when it had itself. */
  promisedAt: number | undefined;
  at: number | undefined;
  bytes: number;
};

/** Boundaries that are told apart, and rows of one boundary: in a list of thousands, each item may be lazy. */
const maxHoles = 1000;
const maxRowsOfOne = 200;

/** What was awaited for one row, in a few words. */
const maxAwaits = 20;

type Boundary = { row: number; at: number; rows: AwaitedRow[]; last: number; isFailed: boolean; isOpen: boolean };
type Task = { row: number; boundary: Boundary };
type Search = {
  flight: Flight;
  names: ElementNames;
  clock: (bytes: number) => number | undefined;
  boundaries: Boundary[];
  tasks: Task[];
  seen: Uint8Array;
  promisedBy: Int32Array;
};

/** What a page waited for, the longest wait first; without `chunks`, which have the times, the one filled by the latest byte. */
export function findHoles(flight: Flight, chunks: readonly ChunkTime[] = []): Hole[] {
  if (flight.root === undefined) return [];
  const page: Boundary = { row: flight.root, at: -1, rows: [], last: -1, isFailed: false, isOpen: false };
  const search: Search = {
    flight,
    names: createElementNames(flight),
    clock: createClock(chunks),
    boundaries: [page],
    tasks: [{ row: flight.root, boundary: page }],
    seen: new Uint8Array(flight.rows.count),
    promisedBy: findPromises(flight),
  };
  search.seen[flight.root] = 1;
  for (let next = search.tasks.pop(); next; next = search.tasks.pop()) searchRow(search, next);
  const [, ...suspended] = search.boundaries;
  const inOrder = suspended.toSorted((a, b) => startAt(flight.tape, a.at) - startAt(flight.tape, b.at));
  const holes = [page, ...inOrder].flatMap((boundary, number) =>
    boundary.rows.length > 0 ? readHole(search, boundary, number) : [],
  );
  return holes.toSorted((a, b) => (b.waitedMs ?? 0) - (a.waitedMs ?? 0) || b.bytesLater - a.bytesLater);
}

/** The tape up to `end` is within `boundary`. Then the walk goes on at `next`; -1 for the very next place. */
type Span = { end: number; boundary: Boundary; next: number };

function searchRow(search: Search, { row, boundary }: Task): void {
  const { flight } = search;
  const { tape } = flight;
  const model = flight.rows.models[row] ?? 0;
  if (model === 0 || readRowTag(flight.rows, row).role !== 'model') return;
  const open: Span[] = [{ end: nextAt(tape, model - 1), boundary, next: -1 }];
  /** Places of fallbacks met later in this row: they are shown outside their boundary. */
  const fallbacks = new Map<number, Boundary>();
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
      top = { end: nextAt(tape, at), boundary: outer, next: -1 };
      open.push(top);
    }
    const kind = kindAt(tape, at);
    if (kind === elementKind) {
      const inner = openElement(search, row, at, top.boundary);
      const fallback = inner === top.boundary ? undefined : fallbackAt(flight, at);
      if (fallback !== undefined) fallbacks.set(fallback, top.boundary);
      // Owner and stack are only there in development, and not on the page.
      open.push({ end: partAt(flight, at, 4) ?? itemsEnd(tape, at), boundary: inner, next: nextAt(tape, at) });
    } else if (kind === dollarKind || kind === codedDollarKind) meetReference(search, row, at, top.boundary);
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

/** The boundary within an element: a new one for Suspense. */
function openElement({ names, boundaries }: Search, row: number, at: number, outer: Boundary): Boundary {
  const { name, kind } = names.typeOf(row, at);
  if (kind !== 'react' || name !== 'Suspense' || boundaries.length >= maxHoles) return outer;
  const boundary: Boundary = { row, at, rows: [], last: -1, isFailed: false, isOpen: false };
  boundaries.push(boundary);
  return boundary;
}

/** How a form waits for its row; undefined for those that do not. */
function readWait(form: DollarForm): AwaitedRow['how'] | undefined {
  if (form.kind === 'lazy') return 'lazy';
  return form.kind === 'promise' ? 'promise' : undefined;
}

function meetReference(search: Search, row: number, at: number, boundary: Boundary): void {
  const { flight } = search;
  const form = readDollar(readString(flight, at), flight.direction);
  if (!('id' in form)) return;
  const target = findRow(flight.rows, form.id);
  const how = readWait(form);
  if (target === undefined) {
    const place = placeOf(flight, row, at);
    const never = { row: undefined, promisedAt: undefined, at: undefined, bytes: 0 };
    if (how) addRow(search, boundary, { ...never, id: form.id, how, place });
    return;
  }
  // A client module is loaded, not waited for in the payload.
  if (readRowTag(flight.rows, target).role === 'module') return;
  const { start, end } = readHeader(flight.rows, target);
  if (how && target > boundary.row) {
    const place = placeOf(flight, row, at);
    const promisedBy = search.promisedBy[target] ?? -1;
    const promisedAt = promisedBy < 0 ? undefined : search.clock(readHeader(flight.rows, promisedBy).end);
    const came = { row: target, promisedAt, at: search.clock(end), bytes: end - start };
    addRow(search, boundary, { ...came, id: form.id, how, place });
  }
  if (search.seen[target] === 1) return;
  search.seen[target] = 1;
  search.tasks.push({ row: target, boundary });
}

function addRow({ flight }: Search, boundary: Boundary, awaited: AwaitedRow): void {
  if (awaited.row === undefined) boundary.isOpen = true;
  else {
    if (isError(flight, awaited.row)) boundary.isFailed = true;
    boundary.last = Math.max(boundary.last, awaited.row);
  }
  const isKnown = boundary.rows.some(({ id }) => id === awaited.id);
  if (!isKnown && boundary.rows.length < maxRowsOfOne) boundary.rows.push(awaited);
}

/** An error row, or one that was given up for an error. */
function isError(flight: Flight, row: number): boolean {
  const content = readRow(flight, row);
  if (content.kind === 'error') return true;
  if (content.kind !== 'model' || content.value.kind !== 'reference') return false;
  const target = findRow(flight.rows, content.value.id);
  return target !== undefined && readRowTag(flight.rows, target).role === 'error';
}

function readHole(search: Search, boundary: Boundary, number: number): Hole {
  const { flight, clock } = search;
  const { rows, last } = boundary;
  const cameAt = readHeader(flight.rows, boundary.row).end;
  const filledAt = last < 0 ? undefined : readHeader(flight.rows, last).end;
  const from = clock(cameAt);
  const until = filledAt === undefined ? undefined : clock(filledAt);
  return {
    ...readName(search, boundary, number),
    number,
    rows: rows.toSorted((a, b) => (a.row ?? Infinity) - (b.row ?? Infinity)),
    state: boundary.isFailed ? 'failed' : boundary.isOpen ? 'open' : 'filled',
    filledBy: last < 0 ? undefined : printRow(flight, readRow(flight, last)),
    origin: last < 0 ? undefined : readRowOrigin(flight, last),
    awaits: last < 0 ? [] : readLongestAwaits(flight, last),
    bytesLater: filledAt === undefined ? 0 : filledAt - cameAt,
    from,
    until,
    waitedMs: from === undefined || until === undefined ? undefined : until - from,
  };
}

function readLongestAwaits(flight: Flight, row: number): Awaited[] {
  return readAwaits(flight, row)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, maxAwaits);
}

function readName(
  { flight, boundaries }: Search,
  { row, at }: Boundary,
  number: number,
): Pick<Hole, 'boundary' | 'name' | 'fallback'> {
  if (at < 0) return { boundary: undefined, name: 'the page', fallback: undefined };
  const { key, props } = readElement(flight, readValue(flight, row, at));
  const fallback = props && findEntry(flight, props, 'fallback');
  const named = [props && findEntry(flight, props, 'name'), key].find((value) => value?.kind === 'string');
  const isOnly = boundaries.length === 2;
  return {
    boundary: placeOf(flight, row, at),
    name:
      named?.kind === 'string'
        ? `Suspense ${JSON.stringify(named.value.slice(0, 40))}`
        : isOnly
          ? 'Suspense'
          : `Suspense ${number}`,
    fallback: fallback && printValue(flight, fallback),
  };
}
