import { findPushes, type Push } from './script-pushes.ts';
import { findScripts } from './script-elements.ts';

/**
 * The Flight payload a page carries for its own hydration. Frameworks cut it into scripts wherever their stream was cut:
 * a row, its header, even a character may go on in the next script, so the pieces are joined as bytes.
 *
 * - Next.js: `__next_f` with `[0]` (start), `[1,"text"]`, `[2,formState]` (no Flight), `[3,"base64"]` (not UTF-8).
 * - rsc-html-stream, Waku and this app: `__FLIGHT_DATA` with strings and `Uint8Array.from(atob("…"), …)`.
 */
export type HtmlFlight = {
  source: 'next' | 'rsc-html-stream';
  bytes: Uint8Array;
  /** Where each piece ends in `bytes`: pieces are in the order the page received them. */
  ends: readonly number[];
  /** Pieces that could not be read: base64 that is none. */
  broken: number;
};

const encoder = new TextEncoder();

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    // Text from a page: not base64, so no bytes.
    return undefined;
  }
}

function toBytes(push: Push): Uint8Array | undefined {
  return push.code === 1 ? encoder.encode(push.text) : decodeBase64(push.text);
}

type Collected = { pieces: Uint8Array[]; broken: number };

function collect(html: string): Map<Push['into'], Collected> {
  const found = new Map<Push['into'], Collected>();
  for (const script of findScripts(html)) {
    for (const push of findPushes(script.code)) {
      if (push.code !== 1 && push.code !== 3) continue;
      const collected = found.get(push.into) ?? { pieces: [], broken: 0 };
      found.set(push.into, collected);
      const piece = toBytes(push);
      if (piece) collected.pieces.push(piece);
      else collected.broken += 1;
    }
  }
  return found;
}

function join({ pieces, broken }: Collected, source: HtmlFlight['source']): HtmlFlight {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  const ends: number[] = [];
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
    ends.push(at);
  }
  return { source, bytes, ends, broken };
}

/** The payloads in a page's source, as the server sent it: none, or one of each scheme. Runs no script; never throws. */
export function readFlightFromHtml(html: string): HtmlFlight[] {
  const found = collect(html);
  const next = found.get('__next_f');
  const data = found.get('__FLIGHT_DATA');
  return [...(next ? [join(next, 'next')] : []), ...(data ? [join(data, 'rsc-html-stream')] : [])];
}
