import type { Flight, FlightState } from './flight.ts';
import { readPromiseState } from './flight-state.ts';
import { keepErrorText } from './error-text.ts';
import { createFramer, type FramedRow, type FramingEnd } from './framing.ts';
import { takeOffMarker } from './next-marker.ts';
import { readJson } from './json-tape.ts';
import { addRow, createRowIndex, findRow } from './row-index.ts';
import { jsonStart, rowTagOf } from './row-tags.ts';
import { createTape } from './tape.ts';

/**
 * A whole response, or as much of it as there is, decoded: rows found, JSON checked to the last byte and laid on the
 * tape, promises counted. Nothing in the payload is evaluated, imported, fetched or assigned to a property; there is no
 * input for which this throws. Time is linear in the bytes, memory about half of them on real pages and at most four
 * times for the worst that can be written.
 */

/** 64 MiB. A page of this size is broken in other ways; offsets on the tape have room for four times as much. */
export const maxFlightBytes = 64 * 1024 * 1024;

export type DecodeOptions = Partial<Pick<Flight, 'direction' | 'files' | 'moduleFiles'>>;

/**
 * Decodes the bytes of a Flight payload, of a response unless `direction` says otherwise. Never throws: `flight.state` says
 * how it ended and where it is broken. Bytes past `maxFlightBytes` are not read, and the state says so. The bytes are kept
 * and not copied: do not write to them afterwards.
 */
export function decodeFlight(input: Uint8Array, options: DecodeOptions = {}): Flight {
  const isTooLarge = input.length > maxFlightBytes;
  const { marker, payload: bytes } = takeOffMarker(isTooLarge ? input.subarray(0, maxFlightBytes) : input);
  const rows = createRowIndex(bytes);
  const tape = createTape(bytes.length);
  const { direction = 'response' } = options;
  let broken: FlightState | undefined;
  const readRow = (row: FramedRow): void => {
    const { payloadStart, payloadEnd } = row;
    addRow(rows, row);
    const rowTag = rowTagOf(row.tag);
    const start = jsonStart(rowTag, payloadStart, payloadEnd);
    if (start < 0) return;
    const isError = rowTag.body === 'error';
    const result = readJson(tape, bytes, start, payloadEnd, direction === 'response' && !isError);
    if (result.kind === 'read') {
      rows.models[rows.count - 1] = result.at + 1;
      if (isError) keepErrorText(tape, bytes, result.at);
    } else if (rowTag.body !== 'unknown') broken ??= { kind: 'malformed', at: result.at, reason: result.reason };
  };
  const framer = createFramer(readRow, { keepsPieces: false });
  framer.push(bytes);
  const flight: Flight = {
    bytes,
    marker,
    direction,
    rows,
    tape,
    root: undefined,
    state: { kind: 'complete' },
    files: options.files ?? new Map(),
    moduleFiles: options.moduleFiles ?? new Map(),
    window: { start: 0, end: 0, text: '', size: 0 },
  };
  flight.root = findRow(rows, 0);
  flight.state = broken ?? readState(flight, framer.end(), isTooLarge);
  return flight;
}

function readState(flight: Flight, end: FramingEnd, isTooLarge: boolean): FlightState {
  switch (end.kind) {
    case 'malformed':
      return end;
    case 'truncated': {
      const reason = isTooLarge ? `only the first ${maxFlightBytes} bytes are read` : 'the last row has no end';
      return { ...end, reason };
    }
    case 'clean':
      if (flight.root !== undefined) return readPromiseState(flight);
      return { kind: 'truncated', at: end.at, rowStart: end.at, reason: 'the root row never came' };
  }
}
