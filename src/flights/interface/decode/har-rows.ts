import { type FoundFlight, type HarFlight } from '#flight';

import { describeFound, sizeOf } from './describe-found.ts';

/** A line of the list of a HAR's flights. Undefined is what the HAR does not say. */
export type HarRow = {
  /** Which of the file's flights it is. */
  readonly index: number;
  readonly title: string;
  readonly kind: HarFlight['kind'];
  readonly status: number;
  /** Milliseconds from the first request in the file; undefined when its time cannot be read. */
  readonly startMs: number | undefined;
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly flightBytes: number;
  readonly responseBytes: number | undefined;
  readonly transferredBytes: number | undefined;
  /** It was cut or lost bytes when it was saved. */
  readonly note: string | undefined;
};

export const harColumns = ['time', 'kind', 'path', 'status', 'duration', 'flight', 'response', 'transferred'] as const;
export type HarColumn = (typeof harColumns)[number];

export type HarOrder = { readonly by: HarColumn; readonly isDescending: boolean };

export type HarFilter = { readonly text: string; readonly kind: string };

function noteOf({ missingBytes, isLossy }: HarFlight): string | undefined {
  if (missingBytes > 0) return 'cut';
  return isLossy ? 'lossy' : undefined;
}

/** The flights that a HAR's entries carried, in the order of the file. */
export function readHarRows(flights: readonly FoundFlight[]): HarRow[] {
  const entries = flights.flatMap((found, index) =>
    found.origin.kind === 'har' ? [{ found, index, entry: found.origin.entry }] : [],
  );
  const times = entries.map(({ entry }) => Date.parse(entry.startedAt));
  const first = times.reduce((least, time) => (time < least ? time : least), Infinity);
  return entries.map(({ found, index, entry }, at): HarRow => {
    const time = times[at] ?? Number.NaN;
    return {
      index,
      title: describeFound(found, '').title,
      kind: entry.kind,
      status: entry.status,
      startMs: Number.isFinite(time) ? time - first : undefined,
      firstByteMs: entry.firstByteMs,
      totalMs: Math.max(entry.totalMs, entry.firstByteMs),
      flightBytes: sizeOf(found),
      responseBytes: found.direction === 'response' ? entry.responseBytes : undefined,
      transferredBytes: found.direction === 'response' ? entry.transferredBytes : undefined,
      note: noteOf(entry),
    };
  });
}

/** When the last response ended, in milliseconds from the first request; at least 1, to divide by. */
export function measureSpan(rows: readonly HarRow[]): number {
  return rows.reduce((span, { startMs = 0, totalMs }) => Math.max(span, startMs + totalMs), 1);
}

function valueOf(row: HarRow, by: HarColumn): string | number {
  switch (by) {
    case 'time':
      return row.startMs ?? Infinity;
    case 'kind':
      return row.kind;
    case 'path':
      return row.title.toLowerCase();
    case 'status':
      return row.status;
    case 'duration':
      return row.totalMs;
    case 'flight':
      return row.flightBytes;
    case 'response':
      return row.responseBytes ?? -1;
    case 'transferred':
      return row.transferredBytes ?? -1;
  }
}

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the rows that a filter leaves, in an order; equal ones as in the file. */
export function arrangeHarRows(rows: readonly HarRow[], { text, kind }: HarFilter, { by, isDescending }: HarOrder) {
  const wanted = text.trim().toLowerCase();
  const left = rows.filter(
    (row) =>
      (kind === '' || row.kind === kind) &&
      (wanted === '' || row.title.toLowerCase().includes(wanted) || String(row.status) === wanted),
  );
  return left.toSorted(
    (a, b) => (isDescending ? -1 : 1) * compare(valueOf(a, by), valueOf(b, by)) || a.index - b.index,
  );
}
