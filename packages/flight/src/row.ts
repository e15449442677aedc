import { countBefore } from './count-before.ts';
import type { Flight } from './flight.ts';
import { findRow, readHeader, type RowHeader } from './row-index.ts';
import { rowTagOf, type BinaryType, type JsonRowKind, type StreamKind } from './row-tags.ts';
import { findEntry, readValue, type Value } from './value.ts';
import { readUtf8 } from './value-text.ts';

/** A row, read as its tag says (row-tags.ts): a decoder here for each kind of body. */
export type Row = RowHeader & { row: number } & RowContent;

type RowContent =
  /** A value; the root is id 0. */
  | { kind: 'model'; value: Value }
  /** No body: it will never come (development says so, production sends nothing). */
  | { kind: 'halted' }
  /**
   * - `module`: a client component's, the bundler's metadata (modules.ts);
   * - `debug`: development, about the row with this id;
   * - `io`: development, something awaited on the server;
   * - `console`: development, a call to repeat in the browser: method, stack, owner, environment, arguments.
   */
  | { kind: JsonRowKind; value: Value }
  /** A resource hint: the code is the letter React gives it. */
  | { kind: 'hint'; code: string; value: Value }
  | { kind: 'error'; digest: string | undefined; value: Value }
  | { kind: 'text'; text: string }
  | { kind: 'binary'; type: BinaryType; data: Uint8Array }
  /** A piece of a byte stream. */
  | { kind: 'bytes'; data: Uint8Array }
  | { kind: 'stream-start'; stream: StreamKind }
  /** The end of a stream or iterable, with what an iterator returned. */
  | { kind: 'stream-end' | 'postpone'; value: Value | undefined }
  /** Development: performance.timeOrigin in milliseconds, which debug times count from. */
  | { kind: 'time-origin'; time: number }
  /** A tag of no known React; its body is a value when it is JSON, as React's client reads it. */
  | { kind: 'unknown'; value: Value | undefined; text: string }
  /** Its JSON is broken; decode-flight.ts says where. */
  | { kind: 'broken'; text: string };

/** The text of a `T` row, as React's client has it: without a leading byte order mark. */
function readText(flight: Flight, header: RowHeader): string {
  const text = readUtf8(flight, header.payloadStart, header.payloadEnd);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function readDigest(flight: Flight, value: Value): string | undefined {
  const digest = findEntry(flight, value, 'digest');
  return digest?.kind === 'string' ? digest.value : undefined;
}

/** @param value the body's JSON; undefined when it has none, or when it is broken */
function readContent(flight: Flight, header: RowHeader, value: Value | undefined): RowContent {
  const { payloadStart, payloadEnd } = header;
  const rowTag = rowTagOf(header.tag);
  switch (rowTag.body) {
    case 'model':
      if (value) return { kind: 'model', value };
      return payloadStart === payloadEnd ? { kind: 'halted' } : readBroken(flight, header);
    case 'json':
      return value ? { kind: rowTag.kind, value } : readBroken(flight, header);
    case 'end':
      return value || payloadStart === payloadEnd ? { kind: rowTag.kind, value } : readBroken(flight, header);
    case 'hint':
      if (!value) return readBroken(flight, header);
      return { kind: 'hint', code: readUtf8(flight, payloadStart, payloadStart + 1), value };
    case 'error':
      return value ? { kind: 'error', digest: readDigest(flight, value), value } : readBroken(flight, header);
    case 'text':
      return { kind: 'text', text: readText(flight, header) };
    case 'binary':
      return { kind: 'binary', type: rowTag.type, data: flight.bytes.subarray(payloadStart, payloadEnd) };
    case 'bytes':
      return { kind: 'bytes', data: flight.bytes.subarray(payloadStart, payloadEnd) };
    case 'stream':
      return { kind: 'stream-start', stream: rowTag.stream };
    case 'time':
      return { kind: 'time-origin', time: Number(readUtf8(flight, payloadStart, payloadEnd)) };
    case 'unknown':
      return { kind: 'unknown', value, text: readUtf8(flight, payloadStart, payloadEnd) };
  }
}

function readBroken(flight: Flight, { payloadStart, payloadEnd }: RowHeader): RowContent {
  return { kind: 'broken', text: readUtf8(flight, payloadStart, payloadEnd) };
}

/** The row with this number (its position from 0, not its id), typed by its tag. @throws RangeError when there is no such row */
export function readRow(flight: Flight, row: number): Row {
  const header = readHeader(flight.rows, row);
  return { ...header, row, ...readContent(flight, header, readRowValue(flight, row)) };
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
  return countBefore(count, (row) => (starts[row + 1] ?? 0) <= byteCount);
}
