import { hexDigit } from './framing.ts';

/**
 * With `cacheComponents`, Next.js 16 puts one byte before a payload: `#` for one that is complete, `~` for one that has
 * holes, which the client fills by another request. Its client takes the byte off before it decodes (`stripIsPartialByte`
 * in next's segment-cache/cache.ts), and so does this package wherever it takes a payload's bytes. No row begins so.
 */
export type NextMarker = 'complete' | 'partial';

const markers = new Map<number | undefined, NextMarker>([
  [0x23, 'complete'],
  [0x7e, 'partial'],
]);

const colon = 0x3a;

/** The marker of a payload, if it has one before what can be a row, and the payload without it. */
export function takeOffMarker(bytes: Uint8Array): { marker: NextMarker | undefined; payload: Uint8Array } {
  const marker = markers.get(bytes[0]);
  const next = bytes[1] ?? colon;
  if (!marker || (next !== colon && hexDigit(next) < 0)) return { marker: undefined, payload: bytes };
  return { marker, payload: bytes.subarray(1) };
}
