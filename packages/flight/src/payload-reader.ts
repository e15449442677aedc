import { decodeFlight } from './decode-flight.ts';
import type { Flight } from './flight.ts';
import { createFramer, joinPieces } from './framing.ts';
import { readModules, type ClientModule } from './modules.ts';
import { takeOffMarker } from './next-marker.ts';
import { addRow, createRowIndex, findRow, readHeader, readRowTag } from './row-index.ts';
import { readRowValue } from './row.ts';
import { findEntry, readEntries, readItems, type Value } from './value.ts';

/**
 * The root of a payload and what it leads to, for who needs a few of its values: of a decoded flight, or of bytes, of
 * which then no more is decoded than the rows that are asked for. Framing alone goes through all the bytes.
 */
export type PayloadReader = {
  readonly root: Located | undefined;
  /** The value of the row with an id; undefined when it has none or never came. */
  readonly open: (id: number) => Located | undefined;
  readonly readModules: () => readonly ClientModule[];
};

/** A value, and the flight it is read from: a row of bytes is decoded as a flight of its own. */
export type Located = { readonly flight: Flight; readonly value: Value };

/** References to references: React writes one or two. More is a circle, or a payload made to cost. */
const maxHops = 20;

/** Modules that are looked at to tell a framework: the first ones name its files like all others. */
const maxModuleBytes = 256 * 1024;

/** A string row of a module's file is a path; a longer one is content. */
const maxNameBytes = 1000;

export function readPayload(payload: Flight | Uint8Array): PayloadReader {
  return payload instanceof Uint8Array ? readBytes(payload) : readFlight(payload);
}

function locate(flight: Flight, row: number): Located | undefined {
  const value = readRowValue(flight, row);
  return value && { flight, value };
}

function readFlight(flight: Flight): PayloadReader {
  const open = (id: number): Located | undefined => {
    const row = findRow(flight.rows, id);
    return row === undefined ? undefined : locate(flight, row);
  };
  return { root: open(0), open, readModules: () => readModules(flight) };
}

function readBytes(input: Uint8Array): PayloadReader {
  const { payload } = takeOffMarker(input);
  const rows = createRowIndex(payload);
  createFramer((row) => addRow(rows, row), { keepsPieces: false }).push(payload);
  const open = (id: number): Located | undefined => {
    const row = findRow(rows, id);
    if (row === undefined) return undefined;
    const { start, end } = readHeader(rows, row);
    return locate(decodeFlight(payload.subarray(start, end)), 0);
  };
  const readOwnModules = (): readonly ClientModule[] => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let row = 0; row < rows.count && size < maxModuleBytes; row++) {
      const start = rows.starts[row] ?? 0;
      const end = rows.starts[row + 1] ?? 0;
      const { role } = readRowTag(rows, row);
      // Since React 19.3 the names in a module's row are rows of their own, which come before it.
      const isName =
        role === 'model' && end - start < maxNameBytes && payload[payload.indexOf(0x3a, start) + 1] === 0x22;
      if (role !== 'module' && !isName) continue;
      pieces.push(payload.subarray(start, end));
      size += end - start;
    }
    return readModules(decodeFlight(joinPieces(pieces)));
  };
  return { root: open(0), open, readModules: readOwnModules };
}

/** What a value refers to, if it is a reference of any kind; itself otherwise. Paths lead through arrays and objects only. */
export function follow(reader: PayloadReader, located: Located | undefined): Located | undefined {
  let found = located;
  for (let hop = 0; found && 'id' in found.value; hop++) {
    if (hop === maxHops) return undefined;
    const { id, path } = found.value;
    found = reader.open(id);
    for (const name of path) found = found && readMember(found, name);
  }
  return found;
}

function readMember({ flight, value }: Located, name: string): Located | undefined {
  const member = value.kind === 'array' ? readItems(flight, value, Number(name), 1)[0] : findEntry(flight, value, name);
  return member && { flight, value: member };
}

/** A member of an object, or an item of an array, with references followed before and after. */
export function readAt(reader: PayloadReader, located: Located | undefined, key: string | number): Located | undefined {
  const found = follow(reader, located);
  return found && follow(reader, readMember(found, String(key)));
}

/** The items of an array, references followed; none for other values. */
export function readList(reader: PayloadReader, located: Located | undefined, count: number): Located[] {
  const found = follow(reader, located);
  if (found?.value.kind !== 'array') return [];
  const { flight, value } = found;
  return readItems(flight, value, 0, count).flatMap((item) => follow(reader, { flight, value: item }) ?? []);
}

/** Roots have tens of keys. */
const maxRootKeys = 500;

export function readRootKeys({ root }: PayloadReader): string[] {
  if (root?.value.kind !== 'object') return [];
  return readEntries(root.flight, root.value, 0, maxRootKeys).map(({ key }) => key);
}

/** Whether the root has a member that is neither null nor undefined. */
export function hasRootValue(reader: PayloadReader, key: string): boolean {
  const kind = readAt(reader, reader.root, key)?.value.kind;
  return kind !== undefined && kind !== 'undefined' && kind !== 'null';
}

export function textOf(located: Located | undefined): string | undefined {
  return located?.value.kind === 'string' ? located.value.value : undefined;
}
