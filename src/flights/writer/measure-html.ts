import { extractFlightFromHtml } from '#flight';

/** Bytes of the Flight rows in a page of our own: those that its scripts hand to the browser. */
export function measureHtml(html: Uint8Array): number {
  const own = extractFlightFromHtml(html).filter(({ source }) => source === 'rsc-html-stream');
  return own.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
