import { decodeFlight, type Flight, readHeader, rowTagOf } from '#flight';
import { readArrival } from '#viewer/arrival.ts';

import { readPlain } from '../../read-plain.ts';
import type { Alone } from './use-alone.ts';

/** One row to look at. */
export type Step = {
  /** Its position in the payload that is shown. */
  readonly row: number;
  /** How many bytes of what came React is given for it: up to the next row that is shown. */
  readonly end: number;
  readonly ms: number;
};

/** A payload as it is shown, and its rows. In development it is without what only development sends. */
export type Shown = {
  readonly flight: Flight;
  readonly chunks: readonly { readonly ms: number; readonly bytes: number }[];
  readonly steps: readonly Step[];
};

function listSteps(sent: Flight, positions: readonly number[], alone: Alone): readonly Step[] {
  const arrival = readArrival(alone);
  return positions.map((position, row) => {
    const next = positions[row + 1];
    const end = sent.rows.starts[next ?? sent.rows.count] ?? alone.bytes.length;
    return { row, end, ms: arrival.at(readHeader(sent.rows, position).end) };
  });
}

export function readShown(alone: Alone): Shown {
  const sent = decodeFlight(alone.bytes);
  const positions = Array.from({ length: sent.rows.count }, (_, row) => row);
  const isPlain = positions.every((row) => rowTagOf(readHeader(sent.rows, row).tag).role !== 'debug');
  if (!isPlain) {
    const { flight, chunks, rows } = readPlain(sent, alone.chunks);
    return { flight, chunks, steps: listSteps(sent, rows, alone) };
  }
  return { flight: sent, chunks: alone.chunks, steps: listSteps(sent, positions, alone) };
}
