import { decodeFlight } from './decode-flight.ts';
import type { Flight } from './flight.ts';
import { readRow } from './row.ts';
import { sniff } from './sniff.ts';

/**
 * Flight within Flight: Next.js sends cached parts of a page as the bytes of another payload, in a typed array. Decoded
 * when asked for, one level at a time; undefined for a row that holds no payload. @throws RangeError when there is no such row
 */
export function readNestedFlight(flight: Flight, row: number): Flight | undefined {
  const content = readRow(flight, row);
  if (content.kind !== 'binary' && content.kind !== 'bytes') return undefined;
  if (sniff(content.data).kind !== 'flight') return undefined;
  const nested = decodeFlight(content.data);
  return nested.root === undefined ? undefined : nested;
}
