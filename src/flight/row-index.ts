import { hexDigit } from './framing.ts';
import { isLengthTag, isReferable, isTextTag } from './row-tags.ts';

/**
 * Where every row is, at eight bytes a row: its start and the place of its model on the tape. A row may be two bytes long
 * (`:` and a newline), so an object for each would cost fifty times the input; a header is a few bytes and is read again
 * when somebody asks. Finding a row by id goes through a hash table of row numbers, also eight bytes a row, made when
 * first needed.
 */
export type RowIndex = {
  bytes: Uint8Array;
  count: number;
  /** `starts[i]` is the first byte of row i; `starts[count]` the first byte after the last row. */
  starts: Uint32Array;
  /** 1 + the place of row i's JSON on the tape; 0 when it has none. */
  models: Uint32Array;
  firstOfId: Int32Array | undefined;
};

export type RowHeader = {
  id: number;
  /** Empty for a model. */
  tag: string;
  start: number;
  payloadStart: number;
  payloadEnd: number;
  end: number;
};

export function createRowIndex(bytes: Uint8Array): RowIndex {
  const capacity = Math.min(1024, (bytes.length >> 4) + 8);
  const starts = new Uint32Array(capacity + 1);
  return { bytes, count: 0, starts, models: new Uint32Array(capacity), firstOfId: undefined };
}

export function addRow(index: RowIndex, end: number): void {
  if (index.count === index.models.length) {
    const capacity = index.count + (index.count >> 1);
    const starts = new Uint32Array(capacity + 1);
    starts.set(index.starts);
    index.starts = starts;
    const models = new Uint32Array(capacity);
    models.set(index.models);
    index.models = models;
  }
  index.count += 1;
  index.starts[index.count] = end;
}

/** @throws RangeError when there is no such row */
export function readHeader(index: RowIndex, row: number): RowHeader {
  const { bytes } = index;
  if (!(row >= 0 && row < index.count)) throw new RangeError(`There is no row ${row} of ${index.count}`);
  const start = index.starts[row] ?? 0;
  const end = index.starts[row + 1] ?? 0;
  const at = bytes.indexOf(0x3a, start) + 1;
  const id = readId(index, row);
  const first = bytes[at] ?? 0;
  if (isLengthTag(first)) {
    const comma = bytes.indexOf(0x2c, at);
    return { id, tag: String.fromCharCode(first), start, payloadStart: comma + 1, payloadEnd: end, end };
  }
  const isTag = isTextTag(first);
  const tag = isTag ? String.fromCharCode(first) : '';
  return { id, tag, start, payloadStart: isTag ? at + 1 : at, payloadEnd: end - 1, end };
}

/** The row a reference `$id` means: the first with that id that is not about another row; undefined when it never came. */
export function findRow(index: RowIndex, id: number): number | undefined {
  index.firstOfId ??= indexIds(index);
  const table = index.firstOfId;
  for (let slot = hash(id, table.length); ; slot = (slot + 1) & (table.length - 1)) {
    const entry = table[slot] ?? 0;
    if (entry === 0) return undefined;
    if (readId(index, entry - 1) === id) return entry - 1;
  }
}

function hash(id: number, size: number): number {
  return (Math.imul(id, 0x9e3779b1) >>> 7) & (size - 1);
}

function readId(index: RowIndex, row: number): number {
  let id = 0;
  for (let at = index.starts[row] ?? 0; ; at++) {
    const byte = index.bytes[at] ?? 0x3a;
    if (byte === 0x3a) return id;
    id = ((id << 4) | hexDigit(byte)) >>> 0;
  }
}

function indexIds(index: RowIndex): Int32Array {
  let size = 8;
  while (size < index.count * 1.5) size *= 2;
  const table = new Int32Array(size);
  for (let row = 0; row < index.count; row++) {
    const { id, tag } = readHeader(index, row);
    if (!isReferable(tag)) continue;
    let slot = hash(id, size);
    let entry = table[slot] ?? 0;
    while (entry !== 0 && readId(index, entry - 1) !== id) {
      slot = (slot + 1) & (size - 1);
      entry = table[slot] ?? 0;
    }
    if (entry === 0) table[slot] = row + 1;
  }
  return table;
}
