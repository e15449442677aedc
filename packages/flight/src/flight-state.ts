import { readDollar } from './dollar.ts';
import type { Flight, FlightState } from './flight.ts';
import { forEachPromise, markPageRows, promisesRows } from './promised-rows.ts';
import { findRow, readFirstByte, readHeader, type RowHeader } from './row-index.ts';
import { dollarKind, kindAt } from './tape.ts';
import { readString } from './value-text.ts';

/** Pending rows are listed up to here: enough to show, and a hostile payload may promise millions. */
const maxPendingListed = 1000;

function isError(flight: Flight, id: number): boolean {
  const row = findRow(flight.rows, id);
  return row !== undefined && readHeader(flight.rows, row).tag === 'E';
}

/** Whether a row is the model of its id: not a stream's item or what an iterator returned, which may refer to an error too. */
function isOwnModel(flight: Flight, row: number): boolean {
  const { id, tag } = readHeader(flight.rows, row);
  return tag === '' && findRow(flight.rows, id) === row;
}

/** The error row that a model which is nothing but `"$id"` was given up for; undefined for other models. */
function readAbortError(flight: Flight, model: number): number | undefined {
  const form = readDollar(readString(flight, model), flight.direction);
  const isWhole = form.kind === 'reference' && form.path.length === 0;
  return isWhole && isError(flight, form.id) ? form.id : undefined;
}

/** Tags that begin or end a stream; a model with no body too says (in development) that its row will not come. */
const streamBytes = new Set(Array.from('RrXxCE\n', (character) => character.charCodeAt(0)));

/** Keeps `open`, the streams that have begun and not ended, as rows go by. A list of more than `maxPendingListed` is cut. */
function followStream(open: Set<number>, { id, tag }: RowHeader): void {
  if (tag === 'C' || tag === 'E') open.delete(id);
  else if (open.size < maxPendingListed) open.add(id);
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
    const first = readFirstByte(rows, row);
    const model = rows.models[row] ?? 0;
    if (streamBytes.has(first)) followStream(open, readHeader(rows, row));
    if (model === 0 || !promisesRows(first)) continue;
    forEachPromise(flight, model - 1, onPromise);
    const mayRefer = abortError === undefined && kindAt(flight.tape, model - 1) === dollarKind;
    if (mayRefer && isOwnModel(flight, row)) abortError = readAbortError(flight, model - 1);
  }
  const pending = [...missing, ...open];
  if (abortError !== undefined) return { kind: 'aborted', error: abortError, pending };
  return pending.length > 0 ? { kind: 'halted', pending } : { kind: 'complete' };
}
