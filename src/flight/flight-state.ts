import { readDollar, type DollarForm } from './dollar.ts';
import type { Flight, FlightState } from './flight.ts';
import { hexDigit } from './framing.ts';
import { findRow, readHeader, type RowHeader } from './row-index.ts';
import { codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, startAt, stepAt } from './tape.ts';
import { readString } from './value-text.ts';

/**
 * What became of the rows that were promised. A reference in a model or a module is a promise; references from
 * development's debug rows, and from an element's owner and stack, are not: those rows may travel elsewhere (Waku sends
 * them over the dev server's own connection).
 */

/** Pending rows are listed up to here: enough to show, and a hostile payload may promise millions. */
const maxPendingListed = 1000;

/** The row a `$` form speaks of, if it speaks of one. */
export function readTargetId(form: DollarForm): number | undefined {
  if ('id' in form) return form.id;
  return 'target' in form ? form.target?.id : undefined;
}

/**
 * Calls `onDollar` with the place of each `$` string among the values of the model at `root`; not an element's mark, nor
 * what development adds to an element.
 */
export function forEachDollar(flight: Flight, root: number, onDollar: (at: number) => void): void {
  const { tape } = flight;
  const end = nextAt(tape, root);
  /** Pairs: where an element's debug parts begin, and where they end. */
  const skips: number[] = [];
  for (let at = root; at < end;) {
    if (at === skips.at(-2)) {
      at = skips.pop() ?? end;
      skips.pop();
      continue;
    }
    const kind = kindAt(tape, at);
    if (kind === elementKind) {
      const debug = debugPartsAt(flight, at);
      if (debug !== undefined) skips.push(debug, itemsEnd(tape, at));
      at += 4;
      continue;
    }
    if (kind === dollarKind || kind === codedDollarKind) onDollar(at);
    at = stepAt(tape, at);
  }
}

/** Where an element's owner begins, when it has more than type, key and props. */
function debugPartsAt(flight: Flight, element: number): number | undefined {
  const end = itemsEnd(flight.tape, element);
  let at = element + 2;
  for (let part = 0; part < 4 && at < end; part++) at = nextAt(flight.tape, at);
  return at < end ? at : undefined;
}

/** Tags whose models promise rows. */
function promisesRows(tag: string): boolean {
  return tag === '' || tag === 'I' || tag === 'C';
}

/** Letters whose `$` form promises a row, `$3` itself apart. */
const promising = new Set('L@hFQWKBiZ');

/**
 * The row a `$` string promises. A payload is full of references, and this asks each only for its id, so it is read from
 * the bytes; a form that is coded or of a request is read in full.
 */
function readPromisedId(flight: Flight, at: number): number | undefined {
  if (flight.direction === 'request' || kindAt(flight.tape, at) === codedDollarKind) {
    const form = readDollar(readString(flight, at), flight.direction);
    return form.kind === 'omitted' || form.kind === 'constructor' ? undefined : readTargetId(form);
  }
  const { bytes } = flight;
  let i = startAt(flight.tape, at) + 2;
  if (hexDigit(bytes[i] ?? 0) < 0 && !promising.has(String.fromCharCode(bytes[i++] ?? 0))) return undefined;
  let id = 0;
  let digits = 0;
  for (let digit = hexDigit(bytes[i] ?? 0); digit >= 0; digit = hexDigit(bytes[++i] ?? 0)) {
    id = ((id << 4) | digit) >>> 0;
    digits += 1;
  }
  const isEnd = bytes[i] === 0x22 || bytes[i] === 0x3a;
  return isEnd && digits > 0 && digits <= 8 ? id : undefined;
}

function isError(flight: Flight, id: number): boolean {
  const row = findRow(flight.rows, id);
  return row !== undefined && readHeader(flight.rows, row).tag === 'E';
}

/** The error row that a model which is nothing but `"$id"` was given up for; undefined for other models. */
function readAbortError(flight: Flight, model: number): number | undefined {
  if (kindAt(flight.tape, model) !== dollarKind) return undefined;
  const form = readDollar(readString(flight, model), flight.direction);
  const isWhole = form.kind === 'reference' && form.path.length === 0;
  return isWhole && isError(flight, form.id) ? form.id : undefined;
}

/** Keeps `open`, the streams that have begun and not ended, as rows go by. A list of more than `maxPendingListed` is cut. */
function followStream(open: Set<number>, { id, tag }: RowHeader, isEmpty: boolean): void {
  if (tag === 'C' || tag === 'E') open.delete(id);
  // A model with no body says in development that the row will not come.
  else if (tag === 'R' || tag === 'r' || tag === 'X' || tag === 'x' || (tag === '' && isEmpty)) {
    if (open.size < maxPendingListed) open.add(id);
  }
}

/** The state of a stream that ended between rows and whose JSON is whole. */
export function readPromiseState(flight: Flight): FlightState {
  const { rows } = flight;
  const missing = new Set<number>();
  const open = new Set<number>();
  let abortError: number | undefined;
  let lastFound = -1;
  function onDollar(at: number): void {
    const id = readPromisedId(flight, at);
    if (id === undefined || id === lastFound) return;
    if (findRow(rows, id) !== undefined) lastFound = id;
    else if (missing.size < maxPendingListed) missing.add(id);
  }
  for (let row = 0; row < rows.count; row++) {
    const header = readHeader(rows, row);
    const model = rows.models[row] ?? 0;
    followStream(open, header, model === 0);
    if (model === 0 || !promisesRows(header.tag)) continue;
    forEachDollar(flight, model - 1, onDollar);
    if (header.tag === '') abortError ??= readAbortError(flight, model - 1);
  }
  const pending = [...missing, ...open];
  if (abortError !== undefined) return { kind: 'aborted', error: abortError, pending };
  return pending.length > 0 ? { kind: 'halted', pending } : { kind: 'complete' };
}
