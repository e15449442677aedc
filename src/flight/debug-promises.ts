import type { Flight } from './flight.ts';
import { findRow, readHeader } from './row-index.ts';

/**
 * In development a server also sends what only the tools look at: the value that something awaited, props of server
 * components. These are models like any other and promise rows that never come (React stops sending when the page is
 * done); nobody but a debug row refers to them. So there a promise counts only when the root leads to it.
 *
 * A mark for each row, set by passes over all rows, forth and back in turn: rows refer to rows near them, in one
 * direction or the other, so that few passes settle it, and a mark is one byte where a list of references would be fifty.
 */
const reached = 1;
const looked = 2;
/** What needs more is written to cost; then every promise counts. */
const maxPasses = 40;

const debugTags = new Set(['N', 'D', 'J', 'W']);

/** Whether a server in development sent it. */
export function hasDebugRows(flight: Flight): boolean {
  for (let row = 0; row < flight.rows.count; row++) {
    if (debugTags.has(readHeader(flight.rows, row).tag)) return true;
  }
  return false;
}

export type Reach = {
  /** Whether the root leads to the row a reference to `id` means. */
  leadsTo: (id: number) => boolean;
  /** Ids that are referred to and have no row. */
  missing: ReadonlySet<number>;
};

/**
 * What the root leads to; undefined when that would take too long. `forEachId` calls back with the ids that the model at
 * a place of the tape refers to. `missing` lists at most `maxListed`.
 */
export function readReach(
  flight: Flight,
  maxListed: number,
  forEachId: (model: number, onId: (id: number) => void) => void,
): Reach | undefined {
  const { rows } = flight;
  const marks = new Uint8Array(rows.count);
  const missing = new Set<number>();
  let isSettled = false;
  const reach = (id: number): void => {
    const row = findRow(rows, id);
    if (row === undefined) {
      if (missing.size < maxListed) missing.add(id);
    } else if (marks[row] === 0) {
      marks[row] = reached;
      isSettled = false;
    }
  };
  /** A stream's items have the id of its start. */
  const look = (row: number): void => {
    const { id, tag } = readHeader(rows, row);
    const first = findRow(rows, id);
    const isReached = first !== undefined && (marks[first] ?? 0) > 0 && !debugTags.has(tag);
    if (!isReached || (marks[row] ?? 0) >= looked) return;
    marks[row] = looked;
    const model = rows.models[row] ?? 0;
    if (model > 0) forEachId(model - 1, reach);
  };
  reach(0);
  for (let pass = 0; pass < maxPasses; pass++) {
    isSettled = true;
    for (let step = 0; step < rows.count; step++) look(pass % 2 === 0 ? step : rows.count - 1 - step);
    if (isSettled) return { leadsTo: (id) => (marks[findRow(rows, id) ?? -1] ?? 0) > 0, missing };
  }
  return undefined;
}
