import type { Flight } from './flight.ts';
import { readHeader } from './row-index.ts';
import { rowTagOf, type StreamKind } from './row-tags.ts';
import { readRow, type Row } from './row.ts';

/**
 * A stream or an async iterable is sent as several rows with the same id: its start, its items (models, text, bytes), and
 * its end (an error row when it failed).
 */
export type FlightStream = {
  id: number;
  stream: StreamKind;
  start: number;
  items: readonly number[];
  /** The row that closed it; undefined while it is open. */
  end: number | undefined;
};

/** The streams of a flight by id, as numbers of rows. One pass over the headers. */
export function readStreams(flight: Flight): ReadonlyMap<number, FlightStream> {
  const streams = new Map<number, FlightStream & { items: number[] }>();
  for (let row = 0; row < flight.rows.count; row++) {
    const { id, tag } = readHeader(flight.rows, row);
    const rowTag = rowTagOf(tag);
    const open = streams.get(id);
    if (!open) {
      if (rowTag.body !== 'stream') continue;
      streams.set(id, { id, stream: rowTag.stream, start: row, items: [], end: undefined });
    } else if (open.end === undefined) {
      if (rowTag.endsStream) open.end = row;
      // Debug rows say something about the stream, and are no items of it.
      else if (rowTag.role !== 'debug') open.items.push(row);
    }
  }
  return streams;
}

/** The rows of a stream's items, for tests. @internal */
export function readStreamItems(flight: Flight, stream: FlightStream): Row[] {
  return stream.items.map((row) => readRow(flight, row));
}
