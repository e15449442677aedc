import { createClock, type ChunkTime } from '../chunk-times.ts';
import { minWaitMs } from '../finding.ts';
import type { Flight } from '../flight.ts';
import type { Around } from '../hole-search.ts';
import { findHoles } from '../holes.ts';
import { readHeader } from '../row-index.ts';
import { rowTagOf } from '../row-tags.ts';

/**
 * What a page could not be shown without, and came noticeably late: its shell, which is all that stands in no Suspense boundary. In
 * milliseconds since the flight began.
 */
export type ShellWait =
  /** A row of the shell, after the rows that it belongs to. */
  | {
      readonly kind: 'row';
      /** Its id, as the payload writes it. */
      readonly row: string;
      readonly from: number;
      readonly until: number;
      /** The client code around it may have a boundary of its own. */
      readonly around: Around['kind'];
      /** Of the page, what had come before it. */
      readonly bytesBefore: number;
    }
  /** The first row of all, since the request began. */
  | { readonly kind: 'first'; readonly from: 0; readonly until: number };

/** Decoded and searched in some 50 ms, on a thread that others wait for. */
const mostBytes = 256 * 1024;

/** Whether `readShellWaits` would look at a payload: who asks need not decode another. */
export function isShellRead(bytes: number, chunks: readonly ChunkTime[]): boolean {
  return bytes > 0 && bytes <= mostBytes && chunks.length > 0;
}

/** Bytes of elements and texts, as opposed to modules, hints and errors. */
function countPageBytes({ rows }: Flight, before: number): number {
  return Array.from({ length: before }, (_, row) => readHeader(rows, row))
    .filter(({ tag }) => ['model', 'text'].includes(rowTagOf(tag).role))
    .reduce((sum, { start, end }) => sum + end - start, 0);
}

function readLateRow(flight: Flight, chunks: readonly ChunkTime[]): ShellWait | undefined {
  const page = findHoles(flight, chunks).holes.find(({ boundary }) => boundary === undefined);
  const last = page?.rows.at(-1);
  if (page?.state !== 'filled' || last?.row === undefined) return undefined;
  const { from, until, waitedMs } = page;
  if (from === undefined || until === undefined || waitedMs === undefined || waitedMs < minWaitMs) return undefined;
  const bytesBefore = countPageBytes(flight, last.row);
  return { kind: 'row', row: last.id.toString(16), from, until, around: page.around.kind, bytesBefore };
}

/** Nothing where no times are known, and of a payload that is large. */
export function readShellWaits(flight: Flight, chunks: readonly ChunkTime[]): ShellWait[] {
  const { root, bytes, rows } = flight;
  if (root === undefined || !isShellRead(bytes.length, chunks)) return [];
  const first = createClock(chunks)(readHeader(rows, root).end);
  const row = readLateRow(flight, chunks);
  return [
    ...(first !== undefined && first >= minWaitMs ? [{ kind: 'first', from: 0, until: first } as const] : []),
    ...(row ? [row] : []),
  ];
}
