import { readDollar, type DollarForm } from './dollar.ts';
import type { Flight, FlightState } from './flight.ts';
import { findRow, readHeader } from './row-index.ts';
import { codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, stepAt } from './tape.ts';
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

type Promises = { pending: Set<number>; abortError: number | undefined };

function isError(flight: Flight, id: number): boolean {
  const row = findRow(flight.rows, id);
  return row !== undefined && readHeader(flight.rows, row).tag === 'E';
}

function readPromises(flight: Flight): Promises {
  const { rows } = flight;
  const pending = new Set<number>();
  let abortError: number | undefined;
  const onDollar = (at: number): void => {
    const form = readDollar(readString(flight, at), flight.direction);
    const id = readTargetId(form);
    if (id === undefined || form.kind === 'omitted' || form.kind === 'constructor') return;
    if (pending.size < maxPendingListed && findRow(rows, id) === undefined) pending.add(id);
  };
  for (let row = 0; row < rows.count; row++) {
    const { tag } = readHeader(rows, row);
    const model = rows.models[row] ?? 0;
    if (model === 0 || !promisesRows(tag)) continue;
    forEachDollar(flight, model - 1, onDollar);
    if (tag !== '' || abortError !== undefined) continue;
    const kind = kindAt(flight.tape, model - 1);
    if (kind !== dollarKind) continue;
    const form = readDollar(readString(flight, model - 1), flight.direction);
    if (form.kind === 'reference' && form.path.length === 0 && isError(flight, form.id)) abortError = form.id;
  }
  return { pending, abortError };
}

/** The state of a stream that ended between rows and whose JSON is whole. */
export function readPromiseState(flight: Flight): FlightState {
  const { pending, abortError } = readPromises(flight);
  for (const id of openStreams(flight)) pending.add(id);
  if (abortError !== undefined) return { kind: 'aborted', error: abortError, pending: [...pending] };
  return pending.size > 0 ? { kind: 'halted', pending: [...pending] } : { kind: 'complete' };
}

/** Streams that began and did not end, by a close or an error. */
function openStreams(flight: Flight): Set<number> {
  const { rows } = flight;
  const open = new Set<number>();
  for (let row = 0; row < rows.count; row++) {
    const { id, tag } = readHeader(rows, row);
    if (tag === 'R' || tag === 'r' || tag === 'X' || tag === 'x') {
      if (open.size < maxPendingListed) open.add(id);
    } else if (tag === 'C' || tag === 'E') open.delete(id);
    // A model with no body says in development that the row will not come.
    else if (tag === '' && rows.models[row] === 0 && open.size < maxPendingListed) open.add(id);
  }
  return open;
}
