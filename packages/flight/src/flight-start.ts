import { takeOffMarker } from './next-marker.ts';

/** A row's beginning: no id for hints, a time origin and console calls; else hex and a colon. */
const flightStart = /^(?::[HNW]|[0-9a-f]{1,8}:)/;

/** Eight digits and a colon, and a byte to spare. */
const longestStart = 10;

const latin1 = new TextDecoder('latin1');

/** Whether the first bytes can be those of a row. */
export function beginsAsFlight(bytes: Uint8Array): boolean {
  return flightStart.test(latin1.decode(takeOffMarker(bytes).payload.subarray(0, longestStart)));
}
