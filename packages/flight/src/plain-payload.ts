import type { Flight } from './flight.ts';
import { joinPieces } from './framing.ts';
import { readHeader } from './row-index.ts';
import { type RowTag, rowTagOf } from './row-tags.ts';

/**
 * A payload as it would be without what a development server adds to it, so that two of them can be compared and their sizes are
 * close to production's: debug rows and the rows that only they lead to are gone, an element has its type, key and props and
 * nothing more, an error has its digest alone, rows are numbered anew, and the marks that Vite changes with every request
 * are taken out of module names. Names of modules and files stay as development has them: they are longer than a build's.
 */
const decoder = new TextDecoder();
const encoder = new TextEncoder();
const newline = encoder.encode('\n');

/** The `$` forms that lead to a row: a letter or none, its id, and a path. */
const reference = /^(\$[L@hFQWKBiZ]?)([0-9a-f]{1,8})(?=:|$)/;
/** plugin-rsc's for client modules, and Vite's for changed files. */
const changingMarks = /\$\$cache=[a-z0-9]+|(?<=[?&])t=\d{13}&?/g;

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

function isJson(value: unknown): value is Json {
  return value !== undefined;
}

type Plain = {
  readonly flight: Flight;
  readonly ids: Map<number, number>;
  readonly todo: number[];
  readonly isChosen: ((part: string) => boolean) | undefined;
};

/** The new id of a row, which is then wanted: in the order in which they are met, as React gives them. */
function renumber(plain: Plain, id: number): string {
  let given = plain.ids.get(id);
  if (given === undefined) {
    given = plain.ids.size;
    plain.ids.set(id, given);
    plain.todo.push(id);
  }
  return given.toString(16);
}

function toPlain(plain: Plain, value: Json): Json {
  if (typeof value === 'string') {
    if (value.startsWith('$') && !value.startsWith('$$')) {
      return value.replace(reference, (_, form: string, id: string) => form + renumber(plain, Number.parseInt(id, 16)));
    }
    return value.replace(changingMarks, '');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) {
    const isElement = value[0] === '$' && value.length > 4;
    return (isElement ? value.slice(0, 4) : value).map((item) => toPlain(plain, item));
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(plain, member)]));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The chosen parts of a root that has any; any other root whole. */
function toChosen({ isChosen }: Plain, root: Json): Json {
  if (!isChosen || typeof root !== 'object' || root === null || isList(root)) return root;
  const parts = Object.entries(root).filter(([key]) => isChosen(key));
  return parts.length > 0 ? Object.fromEntries(parts) : root;
}

/** Every occurrence has another digest of the same length. */
function toDigest(error: Json): Json {
  if (typeof error !== 'object' || error === null || isList(error)) return error;
  return { digest: typeof error['digest'] === 'string' ? '0'.repeat(error['digest'].length) : '' };
}

function readJson(bytes: Uint8Array): Json | undefined {
  if (bytes.length === 0) return undefined;
  const parsed: unknown = JSON.parse(decoder.decode(bytes));
  return isJson(parsed) ? parsed : undefined;
}

/** Rows that can refer to others, or to what development adds. */
const holdsJson: ReadonlySet<RowTag['body']> = new Set<RowTag['body']>(['model', 'json', 'error', 'end']);

/** A row's body without development's additions. What is no JSON stays as it is, and what breaks or is nested too deep. */
function toPlainBody(plain: Plain, row: number): Uint8Array {
  const { flight } = plain;
  const { id, tag, payloadStart, payloadEnd } = readHeader(flight.rows, row);
  const body = flight.bytes.subarray(payloadStart, payloadEnd);
  const kind = rowTagOf(tag).body;
  if (!holdsJson.has(kind)) return body;
  try {
    const json = readJson(body);
    if (json === undefined) return body;
    const whole = kind === 'error' ? toDigest(json) : id === 0 ? toChosen(plain, json) : json;
    return encoder.encode(JSON.stringify(toPlain(plain, whole)));
  } catch {
    return body;
  }
}

/** Rows by their id: one, or all pieces of a stream. */
function listRows({ rows }: Flight): ReadonlyMap<number, readonly number[]> {
  const byId = new Map<number, number[]>();
  for (let row = 0; row < rows.count; row++) {
    const { id, tag } = readHeader(rows, row);
    const { role } = rowTagOf(tag);
    if (role === 'debug' || role === 'hint') continue;
    const known = byId.get(id);
    if (known) known.push(row);
    else byId.set(id, [row]);
  }
  return byId;
}

function printPlainRow(plain: Plain, row: number, body: Uint8Array): Uint8Array {
  const { id, tag } = readHeader(plain.flight.rows, row);
  const head = `${(plain.ids.get(id) ?? id).toString(16)}:${tag}`;
  if (rowTagOf(tag).framing === 'length') {
    return joinPieces([encoder.encode(`${head}${body.length.toString(16)},`), body]);
  }
  return joinPieces([encoder.encode(head), body, newline]);
}

/** A plain payload, and for each of its rows, in order, the position that it had. */
type PlainPayload = { bytes: Uint8Array; rows: readonly number[] };

/**
 * The bytes, in the order in which their rows came. Hints are left out: what they load belongs to no row. Of a payload that
 * broke it is what could be read. Never throws.
 * @param isChosen of a root with parts, such as Waku's, which of them are kept, with what they lead to; all, where none is chosen
 */
export function toPlainRows(flight: Flight, isChosen?: (part: string) => boolean): PlainPayload {
  const plain: Plain = { flight, ids: new Map(), todo: [], isChosen };
  const byId = listRows(flight);
  const bodies = new Map<number, Uint8Array>();
  renumber(plain, 0);
  for (let id = plain.todo.shift(); id !== undefined; id = plain.todo.shift()) {
    for (const row of byId.get(id) ?? []) bodies.set(row, toPlainBody(plain, row));
  }
  const inOrder = [...bodies].toSorted(([one], [other]) => one - other);
  return {
    bytes: joinPieces(inOrder.map(([row, body]) => printPlainRow(plain, row, body))),
    rows: inOrder.map(([row]) => row),
  };
}

/** The bytes alone. @see toPlainRows */
export function toPlainPayload(flight: Flight, isChosen?: (part: string) => boolean): Uint8Array {
  return toPlainRows(flight, isChosen).bytes;
}
