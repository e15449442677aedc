import { readDollar } from './dollar.ts';
import type { Flight, FlightState } from './flight.ts';
import { forEachPromise, markPageRows } from './promised-rows.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { isOfPage, type RowTag } from './row-tags.ts';
import { dollarKind, kindAt } from './tape.ts';
import { readString } from './value-text.ts';

/** Pending rows are listed up to here: enough to show, and a hostile payload may promise millions. */
const maxPendingListed = 1000;

function isError(flight: Flight, id: number): boolean {
  const row = findRow(flight.rows, id);
  return row !== undefined && readRowTag(flight.rows, row).role === 'error';
}

/** Whether a row is the model of its id: not a stream's item or what an iterator returned, which may refer to an error too. */
function isOwnModel(flight: Flight, row: number): boolean {
  if (readRowTag(flight.rows, row).role !== 'model') return false;
  return findRow(flight.rows, readHeader(flight.rows, row).id) === row;
}

/** React's `abort` sends `"$id"` of an error row in the place of a model. The error's id; undefined for other models. */
function readAbortError(flight: Flight, model: number): number | undefined {
  const form = readDollar(readString(flight, model), flight.direction);
  const isWhole = form.kind === 'reference' && form.path.length === 0;
  return isWhole && isError(flight, form.id) ? form.id : undefined;
}

/**
 * Keeps `open`, the streams that have begun and not ended, as rows go by. A model with no body is one that never ends: it
 * says (in development) that its row will not come. A list of more than `maxPendingListed` is cut.
 */
function followStream(open: Set<number>, { rows }: Flight, row: number, { body, endsStream }: RowTag): void {
  const isHalted = body === 'model' && rows.models[row] === 0;
  if (endsStream) open.delete(readHeader(rows, row).id);
  else if ((isHalted || body === 'stream') && open.size < maxPendingListed) open.add(readHeader(rows, row).id);
}

/** The state of a stream that ended between rows and whose JSON is whole: what became of the rows that were promised. */
export function readPromiseState(flight: Flight): FlightState {
  const { rows } = flight;
  const marks = markPageRows(flight);
  const missing = new Set<number>();
  const open = new Set<number>();
  let abortError: number | undefined;
  let lastFound = -1;
  function onPromise(id: number): void {
    if (id === lastFound) return;
    if (findRow(rows, id) !== undefined) lastFound = id;
    else if (missing.size < maxPendingListed) missing.add(id);
  }
  for (let row = 0; row < rows.count; row++) {
    if (marks && marks[row] !== 1) continue;
    const rowTag = readRowTag(rows, row);
    const model = rows.models[row] ?? 0;
    followStream(open, flight, row, rowTag);
    if (model === 0 || !isOfPage(rowTag)) continue;
    forEachPromise(flight, model - 1, onPromise);
    const mayRefer = abortError === undefined && kindAt(flight.tape, model - 1) === dollarKind;
    if (mayRefer && isOwnModel(flight, row)) abortError = readAbortError(flight, model - 1);
  }
  const pending = [...missing, ...open];
  if (abortError !== undefined) return { kind: 'aborted', error: abortError, pending };
  return pending.length > 0 ? { kind: 'halted', pending } : { kind: 'complete' };
}
