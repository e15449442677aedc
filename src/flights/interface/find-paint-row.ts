import 'server-only';

import { decodeFlight, readHeader, rowTagOf, type ChunkTime } from '#flight';
import { readArrival } from '#viewer/arrival.ts';
import { formatRowName } from '#viewer/view-hash.ts';
import type { Vitals } from '#src/flights/vitals/vitals.ts';

/** What of a payload the largest paint may have waited for. */
export type PaintRow = {
  /** As addresses name it. */
  readonly name: string;
  /** How long before the paint it had been sent. The way to the browser is part of it. */
  readonly beforeMs: number;
  /** `address`: the picture's address stands in this row alone. `time`: of what had been sent by then it was the last. */
  readonly foundBy: 'address' | 'time';
};

/** A shorter path stands everywhere, and what a picture in the page itself has is none. */
function readPath(address: string | undefined): string | undefined {
  const [path = ''] = address?.split('?', 1) ?? [];
  return path.length > 2 && path.includes('/') ? path : undefined;
}

/**
 * The browser counts from the navigation and the recorder from the request: when the browser made that brings both together.
 * @param payload as it was kept
 * @param chunks when it was sent, since the request came
 */
export function findPaintRow(
  payload: Uint8Array,
  chunks: readonly ChunkTime[],
  { lcp, ttfb }: Vitals,
): PaintRow | undefined {
  // A page that was rendered before somebody went to it had its first byte before the beginning.
  if (!lcp || !ttfb || ttfb.ms === 0 || chunks.length === 0) return undefined;
  const paintedMs = lcp.ms - ttfb.askedMs;
  const flight = decodeFlight(payload);
  const arrival = readArrival({ bytes: flight.bytes, chunks });
  // Parts of the page, as opposed to modules, hints and errors.
  const sent = Array.from({ length: flight.rows.count }, (_, row) => ({ row, ...readHeader(flight.rows, row) }))
    .filter(({ tag }) => rowTagOf(tag).body === 'model')
    .map(({ row, start, end }) => ({ row, bytes: flight.bytes.subarray(start, end), sentMs: arrival.at(end) }))
    .filter(({ sentMs }) => sentMs <= paintedMs);
  const path = readPath(lcp.address);
  const named = path === undefined ? [] : sent.filter(({ bytes }) => Buffer.from(bytes).includes(path));
  const lastMs = Math.max(...sent.map(({ sentMs }) => sentMs));
  // Of those that were sent at once the largest, which has most of the page.
  const last = sent.filter(({ sentMs }) => sentMs === lastMs).toSorted((a, b) => b.bytes.length - a.bytes.length);
  const [found] = named.length === 1 ? named : last;
  if (!found) return undefined;
  const beforeMs = Math.round(paintedMs - found.sentMs);
  return { name: formatRowName(flight, found.row), beforeMs, foundBy: named.length === 1 ? 'address' : 'time' };
}
