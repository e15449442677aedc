import { type Flight, findRow, readHeader } from '#flight';

import type { Place } from './opened-flight.ts';

/**
 * The part of the viewer's state that is in the address after `#`, so that any row can be linked to: `#row=1a`,
 * `#tab=tree&row=1a&bytes=120-180&time=35`. A row is named by its id in hex, as in the payload. Several rows may have
 * one id (a stream's items, what development says about a row). `1a.2` is the third of them, in the order in which they
 * were sent.
 */
export const tabIds = ['overview', 'waterfall', 'tree', 'bytes', 'rows', 'modules', 'findings'] as const;

export type TabId = (typeof tabIds)[number];

export type View = {
  readonly tab: TabId;
  readonly selected: Place | undefined;
  /** Milliseconds since the start; undefined means the end. */
  readonly time: number | undefined;
};

type Counted = { readonly byId: Map<number, number>; readonly before: number[] };

const counted = new WeakMap<Flight['rows'], Counted>();

/** How many rows with its id come before a row. Counted once for all: a payload may have a hundred thousand rows with one id. */
function countBefore({ rows }: Flight, row: number): number {
  const { byId, before } = counted.get(rows) ?? { byId: new Map<number, number>(), before: [] };
  counted.set(rows, { byId, before });
  for (let next = before.length; next <= row; next++) {
    const { id } = readHeader(rows, next);
    const count = byId.get(id) ?? 0;
    before.push(count);
    byId.set(id, count + 1);
  }
  return before[row] ?? 0;
}

/** `1a`, or `1a.2` when the id alone means another row. */
export function formatRowName(flight: Flight, row: number): string {
  const { id } = readHeader(flight.rows, row);
  const hex = id.toString(16);
  return findRow(flight.rows, id) === row ? hex : `${hex}.${countBefore(flight, row)}`;
}

/** The row that a name means; undefined when there is no such row. */
function parseRowName(flight: Flight, name: string): number | undefined {
  const [, hex = '', position] = /^([0-9a-f]{1,8})(?:\.(\d{1,9}))?$/.exec(name) ?? [];
  if (hex === '') return undefined;
  const id = Number.parseInt(hex, 16);
  if (position === undefined) return findRow(flight.rows, id);
  let left = Number(position);
  for (let row = 0; row < flight.rows.count; row++) {
    if (readHeader(flight.rows, row).id === id && left-- === 0) return row;
  }
  return undefined;
}

function readPlace(flight: Flight, parameters: URLSearchParams): Place | undefined {
  const row = parseRowName(flight, parameters.get('row') ?? '');
  if (row === undefined) return undefined;
  const [, first, last] = /^(\d{1,9})-(\d{1,9})$/.exec(parameters.get('bytes') ?? '') ?? [];
  const { start: rowStart, end: rowEnd } = readHeader(flight.rows, row);
  const start = Number(first);
  const end = Number(last);
  return start >= rowStart && end <= rowEnd && start < end ? { row, start, end } : { row };
}

/** The tab that an address asks for, as far as it can be told before the flight is there. */
export function readTab(hash: string): TabId {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  return tabIds.find((id) => id === parameters.get('tab')) ?? (parameters.has('row') ? 'rows' : 'overview');
}

/**
 * The view that an address asks for. A row without a tab is shown in the rows panel. What cannot be read is left out.
 */
export function parseViewHash(flight: Flight, hash: string): View {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const selected = readPlace(flight, parameters);
  const tab = tabIds.find((id) => id === parameters.get('tab')) ?? (selected ? 'rows' : 'overview');
  const time = /^\d{1,9}(?:\.\d{1,3})?$/.test(parameters.get('time') ?? '')
    ? Number(parameters.get('time'))
    : undefined;
  return { tab, selected, time };
}

/** `#…`, or an empty string for the default view. @param inFile what stands before it: ViewerAddresses.inFile */
export function formatViewHash(flight: Flight, { tab, selected, time }: View, inFile = ''): string {
  const parts: string[] = inFile === '' ? [] : [inFile];
  if (tab !== (selected ? 'rows' : 'overview')) parts.push(`tab=${tab}`);
  if (selected) parts.push(`row=${formatRowName(flight, selected.row)}`);
  if (selected?.start !== undefined && selected.end !== undefined) {
    parts.push(`bytes=${selected.start}-${selected.end}`);
  }
  if (time !== undefined) parts.push(`time=${Math.round(time * 1000) / 1000}`);
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

/** Whether an address names another part of the file than this one. */
export function leadsElsewhere(hash: string, inFile = ''): boolean {
  const [[name, own] = []] = new URLSearchParams(inFile);
  const other = name === undefined ? null : new URLSearchParams(hash.replace(/^#/, '')).get(name);
  return other !== null && other !== own;
}
