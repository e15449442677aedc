import { readDollar, type DollarForm } from './dollar.ts';
import type { Flight } from './flight.ts';
import { hexDigit } from './framing.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { isOfPage, rowTagOf } from './row-tags.ts';
import { codedDollarKind, dollarKind, elementKind, itemsEnd, kindAt, nextAt, startAt, wordsOf } from './tape.ts';
import { readString } from './value-text.ts';

/**
 * The rows that a row promises: those that its `$` forms refer to, without what development adds. Debug rows, and an
 * element's owner and stack, refer to rows that may be sent elsewhere (Waku sends them over the dev server's own
 * connection), and to values that are only there to be shown, which React leaves unfinished on purpose.
 */

/** The id of the row that a `$` form refers to, if it refers to one. */
export function readTargetId(form: DollarForm): number | undefined {
  if ('id' in form) return form.id;
  return 'target' in form ? form.target?.id : undefined;
}

/**
 * Calls `onDollar` with the place of each `$` string in the model at `root`, except the marks of elements. It goes
 * straight along the words of the tape: a payload has tens of thousands of these strings in each megabyte.
 */
function forEachDollar(flight: Flight, root: number, onDollar: (at: number) => void): void {
  const { tape } = flight;
  const { words } = tape;
  const end = nextAt(tape, root);
  /** Pairs: where an element's debug parts end, and where they begin; the innermost beginning is `skipFrom` too. */
  const skips: number[] = [];
  let skipFrom = -1;
  for (let at = root; at < end;) {
    if (at === skipFrom) {
      skips.pop();
      at = skips.pop() ?? end;
      skipFrom = skips.at(-1) ?? -1;
      continue;
    }
    const kind = (words[at] ?? 0) >>> 28;
    if (kind === dollarKind || kind === codedDollarKind) onDollar(at);
    else if (kind === elementKind) {
      const debug = debugPartsAt(flight, at);
      if (debug !== undefined) {
        skips.push(itemsEnd(tape, at), debug);
        skipFrom = debug;
      }
      at += 4;
      continue;
    }
    at += wordsOf(kind);
  }
}

/** Where an element's owner begins, when it has more than type, key and props. */
function debugPartsAt(flight: Flight, element: number): number | undefined {
  const end = itemsEnd(flight.tape, element);
  let at = element + 2;
  for (let part = 0; part < 4 && at < end; part++) at = nextAt(flight.tape, at);
  return at < end ? at : undefined;
}

/** The letters of the `$` forms that promise a row. A plain reference (`$3`) promises one too, and has no letter. */
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

/** Calls `onPromise` with the id of each row that the model at `root` of the tape promises. */
export function forEachPromise(flight: Flight, root: number, onPromise: (id: number) => void): void {
  forEachDollar(flight, root, (at) => {
    const id = readPromisedId(flight, at);
    if (id !== undefined) onPromise(id);
  });
}

/**
 * 1 for each row that the root, or an item of a stream, leads to by promises; undefined for a payload without debug rows,
 * where every row is there for the page.
 */
export function markPageRows(flight: Flight): Uint8Array | undefined {
  const { rows } = flight;
  if (!rows.hasDebug) return undefined;
  const marks = new Uint8Array(rows.count);
  const stack = new Uint32Array(rows.count);
  let depth = 0;
  function mark(row: number): void {
    if (marks[row] === 1) return;
    marks[row] = 1;
    stack[depth++] = row;
  }
  for (let row = 0; row < rows.count; row++) {
    const { id, tag } = readHeader(rows, row);
    const { isReferable, role } = rowTagOf(tag);
    const isItem = !isReferable || findRow(rows, id) !== row;
    if (row === flight.root || (isItem && role !== 'debug')) mark(row);
  }
  while (depth > 0) {
    const row = stack[--depth] ?? 0;
    const model = rows.models[row] ?? 0;
    if (model === 0 || !isOfPage(readRowTag(rows, row))) continue;
    forEachPromise(flight, model - 1, (id) => {
      const target = findRow(rows, id);
      if (target !== undefined) mark(target);
    });
  }
  return marks;
}

/** The `$` forms that a client waits at: lazy and promise. */
const waiting = new Set([0x4c, 0x40]);

/**
 * For each row, the first row that promised it by `$L` or `$@` and came before it; -1 for a row that nothing promised so.
 * A client can wait from the end of the one to the end of the other; holes.ts says who does. Client modules are loaded, not waited for;
 * nor is what only development's debug data refer to.
 */
export function findPromises(flight: Flight): Int32Array {
  const { rows, bytes, tape } = flight;
  const promisedBy = new Int32Array(rows.count).fill(-1);
  // In a request `$L` is a typed array.
  if (flight.direction === 'request') return promisedBy;
  const marks = markPageRows(flight);
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    if (model === 0 || (marks && marks[row] !== 1) || !isOfPage(readRowTag(rows, row))) continue;
    forEachDollar(flight, model - 1, (at) => {
      // `"$L…` and `"$@…`: other forms need not be read.
      if (!waiting.has(bytes[startAt(tape, at) + 2] ?? 0)) return;
      const id = readPromisedId(flight, at);
      const target = id === undefined ? undefined : findRow(rows, id);
      if (target === undefined || target <= row || promisedBy[target] !== -1) return;
      if (readRowTag(rows, target).role !== 'module') promisedBy[target] = row;
    });
  }
  return promisedBy;
}
