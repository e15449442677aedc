import { streamKinds, type StreamKind } from './dollar.ts';
import type { Flight } from './flight.ts';
import { findRow, readHeader, type RowHeader } from './row-index.ts';
import { binaryTypes, type BinaryType } from './row-tags.ts';
import { readEntries, readValue, type Value } from './value.ts';
import { readUtf8 } from './value-text.ts';

/**
 * A row, typed by its tag. Sources: processFullStringRow and processFullBinaryRow of react-server-dom-webpack 19.0 to
 * 19.3; `P` is of experimental builds only.
 */
export type Row = RowHeader & { row: number } & RowContent;

type RowContent =
  /** A value; the root is id 0. */
  | { kind: 'model'; value: Value }
  /** No body: it will never come (development says so, production sends nothing). */
  | { kind: 'halted' }
  /** A client component's module: metadata of the bundler, see modules.ts. */
  | { kind: 'module'; value: Value }
  /** A resource hint: the code is the letter React gives it. */
  | { kind: 'hint'; code: string; value: Value }
  | { kind: 'error'; digest: string | undefined; value: Value }
  | { kind: 'text'; text: string }
  | { kind: 'binary'; type: BinaryType; data: Uint8Array }
  /** A piece of a byte stream. */
  | { kind: 'bytes'; data: Uint8Array }
  | { kind: 'stream-start'; stream: StreamKind }
  /** The end of a stream or iterable, with what an iterator returned. */
  | { kind: 'stream-end'; value: Value | undefined }
  /** Development: about the row with this id. */
  | { kind: 'debug'; value: Value }
  /** Development: something awaited on the server. */
  | { kind: 'io'; value: Value }
  /** Development: performance.timeOrigin in milliseconds, which debug times count from. */
  | { kind: 'time-origin'; time: number }
  /** Development: a console call to repeat in the browser: method, stack, owner, environment, arguments. */
  | { kind: 'console'; value: Value }
  | { kind: 'postpone'; value: Value | undefined }
  /** A tag of no known React; its body is a value when it is JSON, as React's client reads it. */
  | { kind: 'unknown'; value: Value | undefined; text: string }
  /** Its JSON is broken; decode-flight.ts says where. */
  | { kind: 'broken'; text: string };

/** Where a row's JSON begins, or -1 for a row that has none. A hint's first character is its code. */
export function jsonStart(tag: string, payloadStart: number, payloadEnd: number): number {
  switch (tag) {
    case 'H':
      return payloadStart + 1;
    case 'T':
    case 'b':
    case 'R':
    case 'r':
    case 'X':
    case 'x':
    case 'N':
      return -1;
    case '':
    case 'C':
    case 'P':
      return payloadStart === payloadEnd ? -1 : payloadStart;
    default:
      return binaryTypes.has(tag) ? -1 : payloadStart;
  }
}

/** The text of a `T` row, as React's client has it: without a leading byte order mark. */
function readText(flight: Flight, header: RowHeader): string {
  const text = readUtf8(flight, header.payloadStart, header.payloadEnd);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function readDigest(flight: Flight, value: Value): string | undefined {
  for (const { key, value: member } of readEntries(flight, value)) {
    if (key === 'digest' && member.kind === 'string') return member.value;
  }
  return undefined;
}

/** A row whose body has no JSON. */
function readPlainContent(flight: Flight, header: RowHeader): RowContent {
  const { tag, payloadStart, payloadEnd } = header;
  const data = flight.bytes.subarray(payloadStart, payloadEnd);
  const stream = streamKinds.get(tag);
  if (stream) return { kind: 'stream-start', stream };
  const binary = binaryTypes.get(tag);
  if (binary) return { kind: 'binary', type: binary.type, data };
  if (tag === 'T') return { kind: 'text', text: readText(flight, header) };
  if (tag === 'b') return { kind: 'bytes', data };
  if (tag === 'N') return { kind: 'time-origin', time: Number(readUtf8(flight, payloadStart, payloadEnd)) };
  if (payloadStart === payloadEnd) {
    if (tag === '') return { kind: 'halted' };
    if (tag === 'C') return { kind: 'stream-end', value: undefined };
    if (tag === 'P') return { kind: 'postpone', value: undefined };
  }
  const text = readUtf8(flight, payloadStart, payloadEnd);
  return isKnownTextTag(tag) ? { kind: 'broken', text } : { kind: 'unknown', value: undefined, text };
}

export function isKnownTextTag(tag: string): boolean {
  return tag === '' || 'IHECDJNWP'.includes(tag);
}

function readJsonContent(flight: Flight, header: RowHeader, value: Value): RowContent {
  switch (header.tag) {
    case '':
      return { kind: 'model', value };
    case 'I':
      return { kind: 'module', value };
    case 'H':
      return { kind: 'hint', code: readUtf8(flight, header.payloadStart, header.payloadStart + 1), value };
    case 'E':
      return { kind: 'error', digest: readDigest(flight, value), value };
    case 'C':
      return { kind: 'stream-end', value };
    case 'D':
      return { kind: 'debug', value };
    case 'J':
      return { kind: 'io', value };
    case 'W':
      return { kind: 'console', value };
    case 'P':
      return { kind: 'postpone', value };
    default:
      return { kind: 'unknown', value, text: readUtf8(flight, header.payloadStart, header.payloadEnd) };
  }
}

/** The row with this number (its position from 0, not its id), typed by its tag. @throws RangeError when there is no such row */
export function readRow(flight: Flight, row: number): Row {
  const header = readHeader(flight.rows, row);
  const value = readRowValue(flight, row);
  const content = value ? readJsonContent(flight, header, value) : readPlainContent(flight, header);
  return { ...header, row, ...content };
}

/** The JSON value of the row with this number, whatever its tag; undefined when it has none. @throws RangeError as `readRow` */
export function readRowValue(flight: Flight, row: number): Value | undefined {
  const model = flight.rows.models[row] ?? 0;
  return model === 0 ? undefined : readValue(flight, row, model - 1);
}

/** The row a reference to `id` means; undefined while it has not come. */
export function findRowById(flight: Flight, id: number): Row | undefined {
  const row = findRow(flight.rows, id);
  return row === undefined ? undefined : readRow(flight, row);
}

/** Rows whose last byte is within the first `byteCount` bytes: what the client had when those had come. */
export function countRowsWithin(flight: Flight, byteCount: number): number {
  const { starts, count } = flight.rows;
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= byteCount) low = middle;
    else high = middle - 1;
  }
  return low;
}
