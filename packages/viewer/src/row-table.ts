import { type Flight, readHeader, type RowRole, rowTagOf } from '#flight';

/**
 * What the lists and charts need of every row, read once. Reading a header costs a look at the bytes, and a list of 20
 * 000 rows that is sorted, filtered and scrolled would read it a hundred times.
 */
export type RowTable = {
  readonly count: number;
  /** The character code of each row's tag; 0 for a model. */
  readonly tags: Uint8Array;
  /** Bytes of each row, with its header and its newline. */
  readonly sizes: Uint32Array;
  readonly largest: number;
  /** By tag, the one with the most bytes first. */
  readonly kinds: readonly KindTotal[];
};

type KindTotal = { readonly tag: string; readonly rows: number; readonly bytes: number };

/** What a row with this tag is, in words, and its role, which flight-viewer.css gives a colour. */
export function describeTag(tag: string): { name: string; kind: RowRole } {
  const { name, role } = rowTagOf(tag);
  return { name, kind: role };
}

export function tagOf(table: RowTable, row: number): string {
  const code = table.tags[row] ?? 0;
  return code === 0 ? '' : String.fromCharCode(code);
}

function sumKinds({ count, tags, sizes }: Pick<RowTable, 'count' | 'tags' | 'sizes'>): KindTotal[] {
  const totals = new Map<number, { rows: number; bytes: number }>();
  for (let row = 0; row < count; row++) {
    const code = tags[row] ?? 0;
    const total = totals.get(code) ?? { rows: 0, bytes: 0 };
    total.rows += 1;
    total.bytes += sizes[row] ?? 0;
    totals.set(code, total);
  }
  return [...totals]
    .map(([code, total]) => ({ tag: code === 0 ? '' : String.fromCharCode(code), ...total }))
    .sort((a, b) => b.bytes - a.bytes);
}

const tables = new WeakMap<Flight, RowTable>();

/** The table of a flight, made at the first call. */
export function readRowTable(flight: Flight): RowTable {
  const made = tables.get(flight);
  if (made) return made;
  const { count } = flight.rows;
  const tags = new Uint8Array(count);
  const sizes = new Uint32Array(count);
  let largest = 0;
  for (let row = 0; row < count; row++) {
    const { tag, start, end } = readHeader(flight.rows, row);
    tags[row] = tag === '' ? 0 : tag.charCodeAt(0);
    sizes[row] = end - start;
    largest = Math.max(largest, end - start);
  }
  const table = { count, tags, sizes, largest, kinds: sumKinds({ count, tags, sizes }) };
  tables.set(flight, table);
  return table;
}
