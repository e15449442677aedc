import { hexDigit, isBlank, maxRows, type FramedRow } from './framing.ts';
import { rowTagAt, rowTagOf, type RowTag } from './row-tags.ts';

/**
 * Where every row is, at eight bytes a row: its start and the place of its model on the tape. A row may be two bytes long
 * (`:` and a newline), so an object for each would cost fifty times the input; a header is a few bytes and is read again
 * when somebody asks. Finding a row by id goes through a hash table of row numbers, six to
 * twelve bytes for each id.
 */
export type RowIndex = {
  bytes: Uint8Array;
  count: number;
  /** `starts[i]` is the first byte of row i; `starts[count]` the first byte after the last row. */
  starts: Uint32Array;
  /** 1 + the place of row i's JSON on the tape; 0 when it has none. */
  models: Uint32Array;
  /** A hash table: 1 + the number of the first row with each id that a reference can mean. */
  firstOfId: Int32Array;
  ids: number;
  /** Whether a development server wrote it: it has rows that only development has. */
  hasDebug: boolean;
};

/** A row's id, tag and offsets in the payload, without its bytes. */
export type RowHeader = Omit<FramedRow, 'pieces'>;

export function createRowIndex(bytes: Uint8Array): RowIndex {
  const capacity = Math.min(256, (bytes.length >> 4) + 8);
  const starts = new Uint32Array(capacity + 1);
  return {
    bytes,
    count: 0,
    starts,
    models: new Uint32Array(capacity),
    firstOfId: new Int32Array(64),
    ids: 0,
    hasDebug: false,
  };
}

/** Adds the row after the last: it ends at `end`. */
export function addRow(index: RowIndex, { id, tag, end }: { id: number; tag: string; end: number }): void {
  if (index.count === index.models.length) {
    // As many rows again as these took of the input; never far more than it can hold (a row has two bytes).
    const done = Math.max((index.starts[index.count] ?? 0) / index.bytes.length, 0.05);
    const expected = Math.max(Math.ceil((index.count / done) * 1.02), index.count + (index.count >> 3)) + 8;
    const capacity = Math.max(index.count + 1, Math.min(expected, maxRows));
    const starts = new Uint32Array(capacity + 1);
    starts.set(index.starts);
    index.starts = starts;
    const models = new Uint32Array(capacity);
    models.set(index.models);
    index.models = models;
  }
  index.count += 1;
  index.starts[index.count] = end;
  const { isReferable, role } = rowTagOf(tag);
  if (isReferable) addId(index, id);
  if (role === 'debug') index.hasDebug = true;
}

/** The id, tag and byte offsets of row number `row` of `flight.rows`. @throws RangeError when there is no such row */
export function readHeader(index: RowIndex, row: number): RowHeader {
  const { bytes } = index;
  if (!(row >= 0 && row < index.count)) throw new RangeError(`There is no row ${row} of ${index.count}`);
  const start = index.starts[row] ?? 0;
  const end = index.starts[row + 1] ?? 0;
  const at = bytes.indexOf(0x3a, start) + 1;
  const id = readId(index, row);
  const { tag, framing } = rowTagAt(bytes[at] ?? 0);
  if (framing === 'line') return { id, tag, start, payloadStart: at + tag.length, payloadEnd: end - 1, end };
  const comma = bytes.indexOf(0x2c, at);
  return { id, tag, start, payloadStart: comma + 1, payloadEnd: end, end };
}

/** The row a reference `$id` means: the first with that id that is not about another row; undefined when it never came. */
export function findRow(index: RowIndex, id: number): number | undefined {
  const entry = index.firstOfId[findSlot(index, index.firstOfId, id)] ?? 0;
  return entry === 0 ? undefined : entry - 1;
}

function hash(id: number, size: number): number {
  return (Math.imul(id, 0x9e3779b1) >>> 7) & (size - 1);
}

/** What is known of a row by its tag, without the rest of its header. */
export function readRowTag(index: RowIndex, row: number): RowTag {
  const { bytes } = index;
  let at = index.starts[row] ?? 0;
  while ((bytes[at] ?? 0x3a) !== 0x3a) at++;
  return rowTagAt(bytes[at + 1] ?? 0);
}

/** Where the id of the row with this number begins: after blank lines, which no server writes. */
export function idStart({ bytes, starts }: RowIndex, row: number): number {
  let at = starts[row] ?? 0;
  while (isBlank(bytes[at])) at++;
  return at;
}

function readId(index: RowIndex, row: number): number {
  let id = 0;
  for (let at = idStart(index, row); ; at++) {
    const byte = index.bytes[at] ?? 0x3a;
    if (byte === 0x3a) return id;
    id = ((id << 4) | hexDigit(byte)) >>> 0;
  }
}

/** Enters the last row under its id, unless an earlier one has it. */
function addId(index: RowIndex, id: number): void {
  const slot = findSlot(index, index.firstOfId, id);
  if (index.firstOfId[slot] !== 0) return;
  index.firstOfId[slot] = index.count;
  index.ids += 1;
  // Two thirds full: a longer search costs more than the copy.
  if (index.ids * 3 > index.firstOfId.length * 2) index.firstOfId = growTable(index, index.firstOfId);
}

/** The slot of this id, or the free one where it belongs. */
function findSlot(index: RowIndex, table: Int32Array, id: number): number {
  let slot = hash(id, table.length);
  for (let entry = table[slot] ?? 0; entry !== 0; entry = table[slot] ?? 0) {
    if (readId(index, entry - 1) === id) break;
    slot = (slot + 1) & (table.length - 1);
  }
  return slot;
}

function growTable(index: RowIndex, table: Int32Array): Int32Array {
  const grown = new Int32Array(table.length * 2);
  for (const entry of table) if (entry !== 0) grown[findSlot(index, grown, readId(index, entry - 1))] = entry;
  return grown;
}
