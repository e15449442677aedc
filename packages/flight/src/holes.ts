import { createClock, type ChunkTime } from './chunk-times.ts';
import type { Flight } from './flight.ts';
import { isError, searchHoles, type Around, type SearchedBoundary, type SearchedPromise } from './hole-search.ts';
import { placeOf, type Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { findPromises } from './promised-rows.ts';
import { readAwaits, type Awaited } from './row-awaits.ts';
import { readHeader } from './row-index.ts';
import { readRowOrigin, type RowOrigin } from './row-origin.ts';
import { readRow } from './row.ts';
import { startAt } from './tape.ts';
import { readValue, findEntry, readElement } from './value.ts';

/**
 * Holes: what a page waited for. A Suspense boundary is sent with `$L3` or `$@3` in it; the row 3 comes later, or never,
 * and until then the boundary shows its fallback. A hole outside all boundaries holds what the framework put around the
 * payload: with React alone, the whole page. Where client code stands between, it may do otherwise: then `around` says so.
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
  /** From then till then. It showed its fallback for so long where `around` is none. */
  waitedMs: number | undefined;
  /**
   * The client code between the hole and the row that came last. It may have a boundary of its own, which no payload shows: then
   * this one waited for less, or for nothing.
   */
  around: Around;
};

/**
 * A promise in the props of a client component, or in a framework's data around the page, that was not settled when it was
 * sent. Whether anything waits for it is in the client's code alone, so it is in no hole.
 */
export type GivenPromise = {
  id: number;
  /** Undefined when it never came. */
  row: number | undefined;
  place: Place;
  /** To whom: a client component, or a framework. */
  around: Around;
  state: Hole['state'];
  /** Milliseconds since the start: when it was given, and when it was settled. */
  givenAt: number | undefined;
  settledAt: number | undefined;
};

export type Holes = {
  /** What a page waited for, the longest wait first; without times, the one filled by the latest byte. */
  readonly holes: readonly Hole[];
  /** In the order in which they were given. */
  readonly promises: readonly GivenPromise[];
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

/** What was awaited for one row, in a few words. */
const maxAwaits = 20;

type Reader = {
  readonly flight: Flight;
  readonly clock: (bytes: number) => number | undefined;
  /** For each row, the row that promised it first (promised-rows.ts). */
  readonly promisedBy: Int32Array;
};

/** What a page waited for; times are known with `chunks` alone. */
export function findHoles(flight: Flight, chunks: readonly ChunkTime[] = []): Holes {
  if (flight.root === undefined) return { holes: [], promises: [] };
  const { boundaries, promises } = searchHoles(flight, flight.root);
  const reader: Reader = { flight, clock: createClock(chunks), promisedBy: findPromises(flight) };
  const page = boundaries.slice(0, 1);
  const suspended = boundaries.slice(1).toSorted((a, b) => startAt(flight.tape, a.at) - startAt(flight.tape, b.at));
  const holes = [...page, ...suspended].flatMap((boundary, number) =>
    boundary.rows.length > 0 ? readHole(reader, boundary, number, suspended.length) : [],
  );
  return {
    holes: holes.toSorted((a, b) => (b.waitedMs ?? 0) - (a.waitedMs ?? 0) || b.bytesLater - a.bytesLater),
    promises: promises.map((promise) => readPromise(reader, promise)),
  };
}

function readPromise({ flight, clock }: Reader, promise: SearchedPromise): GivenPromise {
  const { row, place } = promise;
  return {
    ...promise,
    state: row === undefined ? 'open' : isError(flight, row) ? 'failed' : 'filled',
    givenAt: clock(readHeader(flight.rows, place.row).end),
    settledAt: row === undefined ? undefined : clock(readHeader(flight.rows, row).end),
  };
}

/** How a row was waited for, with its times. */
function readAwaited({ flight, clock, promisedBy }: Reader, searched: SearchedBoundary['rows'][number]): AwaitedRow {
  const { id, row, how, place } = searched;
  if (row === undefined) return { id, row, how, place, promisedAt: undefined, at: undefined, bytes: 0 };
  const { start, end } = readHeader(flight.rows, row);
  const promising = promisedBy[row] ?? -1;
  const promisedAt = promising < 0 ? undefined : clock(readHeader(flight.rows, promising).end);
  return { id, row, how, place, promisedAt, at: clock(end), bytes: end - start };
}

function readHole(reader: Reader, boundary: SearchedBoundary, number: number, boundaries: number): Hole {
  const { flight, clock } = reader;
  const { rows, last, isFailed, isOpen } = boundary;
  const cameAt = readHeader(flight.rows, boundary.row).end;
  const filledAt = last && readHeader(flight.rows, last.row).end;
  const from = clock(cameAt);
  const until = filledAt === undefined ? undefined : clock(filledAt);
  return {
    ...readName(flight, boundary, number, boundaries),
    number,
    rows: rows.map((row) => readAwaited(reader, row)).toSorted((a, b) => (a.row ?? Infinity) - (b.row ?? Infinity)),
    state: isFailed ? 'failed' : isOpen ? 'open' : 'filled',
    filledBy: last && printRow(flight, readRow(flight, last.row)),
    origin: last && readRowOrigin(flight, last.row),
    awaits: last ? readLongestAwaits(flight, last.row) : [],
    bytesLater: filledAt === undefined ? 0 : filledAt - cameAt,
    from,
    until,
    waitedMs: from === undefined || until === undefined ? undefined : until - from,
    around: (last ?? rows[0])?.around ?? { kind: 'none' },
  };
}

function readLongestAwaits(flight: Flight, row: number): Awaited[] {
  return readAwaits(flight, row)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, maxAwaits);
}

function readName(
  flight: Flight,
  { row, at }: SearchedBoundary,
  number: number,
  boundaries: number,
): Pick<Hole, 'boundary' | 'name' | 'fallback'> {
  if (at < 0) return { boundary: undefined, name: 'the page', fallback: undefined };
  const { key, props } = readElement(flight, readValue(flight, row, at));
  const fallback = props && findEntry(flight, props, 'fallback');
  const named = [props && findEntry(flight, props, 'name'), key].find((value) => value?.kind === 'string');
  const isOnly = boundaries === 1;
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
