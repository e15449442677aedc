import type { ByteItem } from './byte-items.ts';

/**
 * Items of the byte tree as numbers, so that a node can carry a hundred thousand of them to another thread: places on the
 * tape, places of names, and rows; one number where it is the same for all.
 */
export type PackedItems = {
  readonly at: Int32Array;
  readonly nameAt: Int32Array | -1;
  readonly row: Int32Array | number;
};

export function pack(items: readonly ByteItem[]): PackedItems {
  const at = new Int32Array(items.length);
  const nameAt = new Int32Array(items.length);
  const rows = new Int32Array(items.length);
  const row = items[0]?.row ?? 0;
  let hasNames = false;
  let isOneRow = true;
  for (const [index, item] of items.entries()) {
    at[index] = item.at;
    nameAt[index] = item.nameAt;
    rows[index] = item.row;
    hasNames ||= item.nameAt !== -1;
    isOneRow &&= item.row === row;
  }
  return { at, nameAt: hasNames ? nameAt : -1, row: isOneRow ? row : rows };
}

export function unpack(packed: PackedItems | undefined): ByteItem[] {
  const items: ByteItem[] = [];
  if (!packed) return items;
  const { at, nameAt, row } = packed;
  for (let index = 0; index < at.length; index++) {
    items.push({
      row: typeof row === 'number' ? row : (row[index] ?? 0),
      at: at[index] ?? -1,
      nameAt: typeof nameAt === 'number' ? nameAt : (nameAt[index] ?? -1),
    });
  }
  return items;
}
