import { formatCount, printRow, readRow, type Attribution, type Flight } from '#flight';

import {
  makeLeaf,
  makePayload,
  maxChildren,
  nameRange,
  nameSmaller,
  rangeLook,
  sumBytes,
  type MapNode,
} from './map-node.ts';
import { nameRow } from '../row-name.ts';
import { describeTag, readRowTable, tagOf } from '../row-table.ts';

/** Rows in one piece of a long list. */
const rangeLength = 100;

function makeRow(flight: Flight, row: number): MapNode {
  const table = readRowTable(flight);
  const { name, kind } = describeTag(tagOf(table, row));
  const text = `${nameRow(flight, row)} ${printRow(flight, readRow(flight, row))}`;
  return { ...makeLeaf(text, table.sizes[row] ?? 0, { row }), what: name, tone: kind };
}

/** A node that stands for these rows; `listRows` opens it. */
function makeRows(flight: Flight, name: string, rows: Int32Array, from: number): MapNode {
  const { sizes } = readRowTable(flight);
  const bytes = rows.reduce((sum, row) => sum + (sizes[row] ?? 0), 0);
  return { ...makeLeaf(name, bytes), what: 'group', tone: 'hint', inside: { kind: 'rows', rows, from } };
}

/** Rows one by one, or in pieces when there are too many of them. */
export function listRows(flight: Flight, rows: Int32Array, from: number): MapNode[] {
  if (rows.length <= maxChildren) return Array.from(rows, (row) => makeRow(flight, row));
  let length = rangeLength;
  while (rows.length / length > maxChildren) length *= 10;
  const ranges: MapNode[] = [];
  for (let index = 0; index < rows.length; index += length) {
    const part = rows.slice(index, index + length);
    ranges.push({ ...makeRows(flight, nameRange(from + index, part.length), part, from + index), ...rangeLook });
  }
  return ranges;
}

/** The largest rows one by one, and one node for the others. */
function listLargest(flight: Flight, rows: Int32Array): MapNode[] {
  if (rows.length <= maxChildren) return listRows(flight, rows, 0);
  const shown = rows.slice(0, maxChildren - 1);
  const others = rows.slice(maxChildren - 1);
  return [...listRows(flight, shown, 0), makeRows(flight, nameSmaller(others.length), others, 0)];
}

/** The rows as they were sent, by tag. */
export function readRowView(flight: Flight, { total, rest }: Attribution): MapNode {
  const table = readRowTable(flight);
  const rowsOf = new Map<string, number[]>();
  for (let row = 0; row < table.count; row++) {
    const tag = tagOf(table, row);
    const rows = rowsOf.get(tag);
    if (rows) rows.push(row);
    else rowsOf.set(tag, [row]);
  }
  const groups = table.kinds.map(({ tag, rows: count }) => {
    const { name, kind } = describeTag(tag);
    const rows = Int32Array.from(rowsOf.get(tag) ?? []).sort((a, b) => (table.sizes[b] ?? 0) - (table.sizes[a] ?? 0));
    const children = listLargest(flight, rows);
    return { ...makeLeaf(`${name} × ${formatCount(count)}`, sumBytes(children)), what: name, tone: kind, children };
  });
  return makePayload(total, [...groups, makeLeaf('after the last whole row', rest)]);
}
