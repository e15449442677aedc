import { findPushes, type Push } from './script-pushes.ts';
import { findScripts } from './script-elements.ts';
import { beginsAsFlight } from './flight-start.ts';

/**
 * The Flight payloads a page carries for its own hydration. Frameworks cut them into scripts wherever their stream was
 * cut: a row, its header, even a character may go on in the next script, so the pieces are joined as bytes.
 *
 * - Next.js: `__next_f` with `[0]` (start), `[1,"text"]`, `[2,formState]` (no Flight), `[3,"base64"]` (not UTF-8).
 * - rsc-html-stream, Waku and this app: `__FLIGHT_DATA` with strings and `Uint8Array.from(atob("…"), …)`.
 * - TanStack Start: a stream for each server component, its chunks mixed with those of the others. A loader may stream
 *   something else too, so a stream that does not begin as Flight is left out.
 */
export type HtmlFlight = {
  source: HtmlFlightSource;
  /** Which of the page's streams: 0 for a page that has one. */
  stream: number;
  bytes: Uint8Array;
  /** Where each piece ends in `bytes`: pieces are in the order the page received them. */
  ends: readonly number[];
  /** Pieces that could not be read: base64 that is none. */
  broken: number;
};

export type HtmlFlightSource = 'next' | 'rsc-html-stream' | 'tanstack-start';

/** One piece of a payload, as one script handed it over. */
export type HtmlFlightPiece = {
  readonly source: HtmlFlightSource;
  readonly stream: number;
  readonly bytes: Uint8Array;
  /** Offset in the page's UTF-8 bytes after the last byte of the piece's literal. Approximate after a byte that is not UTF-8. */
  readonly endsAt: number;
};

const sources: Record<Push['into'], HtmlFlightSource> = {
  __next_f: 'next',
  __FLIGHT_DATA: 'rsc-html-stream',
  $_TSR: 'tanstack-start',
};

const encoder = new TextEncoder();

/** With its byte order mark, so that offsets are those of the bytes. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

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

/** `endsAt` counts the page's characters, not its bytes. */
type Collected = Pick<HtmlFlight, 'source' | 'stream' | 'broken'> & { pieces: { bytes: Uint8Array; endsAt: number }[] };

/** The page's payloads, in the order of their first pieces. */
function collect(html: string): Collected[] {
  return collectFrom(listPushes(html));
}

/** Each push with its end in the page. */
function* listPushes(html: string): Generator<Push> {
  for (const { code, start } of findScripts(html)) {
    for (const push of findPushes(code)) yield { ...push, end: start + push.end };
  }
}

function collectFrom(pushes: Iterable<Push>): Collected[] {
  const found = new Map<string, Collected>();
  for (const push of pushes) {
    if (push.code !== 1 && push.code !== 3) continue;
    const { into, stream } = push;
    const key = `${into} ${stream}`;
    const collected = found.get(key) ?? { source: sources[into], stream, pieces: [], broken: 0 };
    found.set(key, collected);
    const bytes = toBytes(push);
    if (bytes) collected.pieces.push({ bytes, endsAt: push.end });
    else collected.broken += 1;
  }
  return [...found.values()].filter(isFlight);
}

/** Next and rsc-html-stream send nothing else this way; a page that was cut before its first row is theirs all the same. */
function isFlight({ source, pieces }: Collected): boolean {
  return source !== 'tanstack-start' || beginsAsFlight(joinHead(pieces));
}

/** Enough of the beginning to tell what it is: chunks may be a byte long. */
function joinHead(pieces: Collected['pieces']): Uint8Array {
  const head = new Uint8Array(16);
  let at = 0;
  for (const { bytes } of pieces) {
    const part = bytes.subarray(0, head.length - at);
    head.set(part, at);
    at += part.length;
    if (at === head.length) break;
  }
  return head.subarray(0, at);
}

function join({ source, stream, pieces, broken }: Collected): HtmlFlight {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.bytes.length, 0));
  const ends: number[] = [];
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece.bytes, at);
    at += piece.bytes.length;
    ends.push(at);
  }
  return { source, stream, bytes, ends, broken };
}

/** The payloads in a page's source, as the server sent it: none, one, or TanStack's several. Runs no script; never throws. */
export function readFlightFromHtml(html: string): HtmlFlight[] {
  return collect(html).map(join);
}

/** What stands in a script, where that was copied without the page around it. */
export function readFlightFromScript(code: string): HtmlFlight[] {
  return collectFrom(findPushes(code)).map(join);
}

/** A push of Next.js as it stands in `self.__next_f`: `[1,"text"]`. */
function toPush(value: unknown): Push | undefined {
  if (!Array.isArray(value)) return undefined;
  const [code, text = '']: unknown[] = value;
  if (typeof code !== 'number' || code < 0 || code > 3) return undefined;
  return { into: '__next_f', stream: 0, code, text: typeof text === 'string' ? text : '', end: 0 };
}

/**
 * `JSON.stringify(self.__next_f)`, as somebody copies it from a console. Undefined for any other JSON: an action's arguments may be lists
 * of a number and a text, too, but these do not begin as Flight.
 */
export function readFlightFromList(json: string): HtmlFlight | undefined {
  if (!/^\s*\[\s*\[\s*[0-3]\s*[,\]]/.test(json)) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    return undefined;
  }
  const pushes = Array.isArray(list) ? list.map(toPush) : [];
  const read = pushes.filter((push) => push !== undefined);
  if (read.length === 0 || read.length < pushes.length) return undefined;
  const [flight] = collectFrom(read).map(join);
  return flight && beginsAsFlight(flight.bytes) ? flight : undefined;
}

/**
 * The same, piece by piece in the order of the page, with the place where each ended: for who knows when the page's bytes
 * came. The pieces of one payload (`source` and `stream`) joined are what `readFlightFromHtml` gives. Linear in the page.
 */
export function extractFlightFromHtml(html: string | Uint8Array): readonly HtmlFlightPiece[] {
  const text = typeof html === 'string' ? html : utf8.decode(html);
  const pieces = collect(text).flatMap(({ source, stream, pieces: own }) =>
    own.map((piece) => ({ source, stream, ...piece })),
  );
  pieces.sort((a, b) => a.endsAt - b.endsAt);
  if (text.length === html.length && typeof html !== 'string') return pieces;
  let at = 0;
  let bytes = 0;
  return pieces.map((piece) => {
    bytes += countBytes(text, at, piece.endsAt);
    at = piece.endsAt;
    return { ...piece, endsAt: typeof html === 'string' ? bytes : Math.min(bytes, html.length) };
  });
}

/** The UTF-8 bytes of a part of a text that does not cut a surrogate pair. */
function countBytes(text: string, from: number, to: number): number {
  let bytes = to - from;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // A pair has two units and four bytes, so that each half counts as one more; anything else above 0x7ff as two more.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}
