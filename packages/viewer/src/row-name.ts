import { type Flight, readHeader } from '#flight';

/** A row's id as it was sent, in hex; a dash for rows that have none (hints, a time origin, console calls). */
export function nameRow(flight: Flight, row: number): string {
  const { id, start } = readHeader(flight.rows, row);
  const hasId = flight.bytes[start] !== 0x3a;
  return hasId ? id.toString(16) : '–';
}
