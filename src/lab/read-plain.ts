import { decodeFlight, readHeader, toPlainRows, type ChunkTime, type Flight } from '#flight';
import { readArrival } from '#viewer/arrival.ts';

/** A payload without what only development sends, or without what is around its chosen parts. */
type Plain = {
  readonly flight: Flight;
  /** For each of its rows, the position that it had. */
  readonly rows: readonly number[];
  /** Each row has come when the row that it was had; empty where no times are known. */
  readonly chunks: readonly ChunkTime[];
};

/** @param isChosen of a root with parts, which of them are kept */
export function readPlain(sent: Flight, chunks: readonly ChunkTime[], isChosen?: (part: string) => boolean): Plain {
  const { bytes, rows } = toPlainRows(sent, isChosen);
  const flight = decodeFlight(bytes);
  const arrival = readArrival({ bytes: sent.bytes, chunks });
  const { starts } = flight.rows;
  const timed = rows.map((position, row) => ({
    ms: arrival.at(readHeader(sent.rows, position).end),
    bytes: (starts[row + 1] ?? bytes.length) - (starts[row] ?? 0),
  }));
  return { flight, rows, chunks: chunks.length === 0 ? [] : timed };
}
