import { extractFlightFromHtml, scanFlight, type HtmlFlightSource } from '#flight';

import { flightLimit } from '../../flight-bytes.ts';
import type { ChunkTime } from '../../flight-columns.ts';
import type { Piece } from './decode-body.ts';

/**
 * The Flight in a response: the response itself, the pieces in a page's scripts, or the streams in TanStack Start's frames. Each
 * piece has the time of the chunk with which its last byte came.
 */
export type Payload = {
  /** The beginning, at most `flightLimit`. */
  readonly bytes: Uint8Array;
  readonly total: number;
  readonly chunks: readonly ChunkTime[];
};

export type Found = {
  readonly payloads: readonly Payload[];
  /** The page around them. */
  readonly html: string | undefined;
  /** In which scripts of a page they were. */
  readonly source: HtmlFlightSource | undefined;
};

/** Pages with more streams than that were not seen; each becomes a flight. */
const payloadsLimit = 20;
const chunksLimit = 4_096;
/** type (1 byte), stream (4), length (4): constants.ts of @tanstack/start-client-core 1.170 */
const frameHeader = 9;
const chunkFrame = 1;

const utf8 = new TextDecoder();
const htmlStart = /^\s*(?:<!doctype|<html|<!--|<head|<body|<script)/i;
const rowStart = /^[#~]?(?:[0-9a-f]{1,8}:|:[HNWD])/;

function join(pieces: readonly Piece[]): Uint8Array {
  return pieces.length === 1 && pieces[0] ? pieces[0].bytes : Buffer.concat(pieces.map(({ bytes }) => bytes));
}

export function toPayload(pieces: readonly Piece[]): Payload {
  const chunks: ChunkTime[] = [];
  let total = 0;
  for (const { ms, bytes } of pieces) {
    total += bytes.length;
    const last = chunks.at(-1);
    const joins = last && (last[0] === ms || chunks.length >= chunksLimit);
    if (joins) chunks[chunks.length - 1] = [last[0], last[1] + bytes.length, 0];
    else chunks.push([ms, bytes.length, 0]);
  }
  return { bytes: join(pieces).subarray(0, flightLimit), total, chunks };
}

/** Says when the byte before `offset` came. Offsets must not go down from call to call. */
function createClock(pieces: readonly Piece[]): (offset: number) => number {
  let index = 0;
  let end = pieces[0]?.bytes.length ?? 0;
  return (offset) => {
    while (end < offset && index + 1 < pieces.length) {
      index += 1;
      end += pieces[index]?.bytes.length ?? 0;
    }
    return pieces[index]?.ms ?? 0;
  };
}

function group<Key>(found: Iterable<{ readonly key: Key; readonly piece: Piece }>): Payload[] {
  const streams = new Map<Key, Piece[]>();
  for (const { key, piece } of found) {
    const known = streams.get(key);
    if (known) known.push(piece);
    else if (streams.size < payloadsLimit) streams.set(key, [piece]);
  }
  return [...streams.values()].map(toPayload);
}

function findInHtml(pieces: readonly Piece[]): Found {
  const bytes = join(pieces);
  const clock = createClock(pieces);
  const found = extractFlightFromHtml(bytes);
  const payloads = group(
    found.map((part) => ({
      key: `${part.source} ${part.stream}`,
      piece: { ms: clock(part.endsAt), bytes: part.bytes },
    })),
  );
  return { payloads, html: utf8.decode(bytes), source: found[0]?.source };
}

function* readFrames(pieces: readonly Piece[]) {
  const bytes = Buffer.from(join(pieces));
  const clock = createClock(pieces);
  for (let at = 0; at + frameHeader <= bytes.length;) {
    const end = at + frameHeader + bytes.readUInt32BE(at + 5);
    const content = bytes.subarray(at + frameHeader, end);
    if (bytes[at] === chunkFrame && content.length > 0) {
      yield { key: bytes.readUInt32BE(at + 1), piece: { ms: clock(end), bytes: content } };
    }
    at = end;
  }
}

function isFlight(bytes: Uint8Array): boolean {
  if (!rowStart.test(utf8.decode(bytes.subarray(0, 16)))) return false;
  const { rows, end } = scanFlight([bytes]);
  return (rows > 0 && end.kind !== 'malformed') || end.kind === 'truncated';
}

/** A stream of frames may be anything. */
function keepFlight(payloads: readonly Payload[]): Payload[] {
  return payloads.filter(({ bytes }) => isFlight(bytes));
}

/** @param contentType as the answer names it; undefined where it does not */
export function findPayloads(pieces: readonly Piece[], contentType: string | undefined): Found {
  const none = { payloads: [], html: undefined, source: undefined };
  if (pieces.length === 0) return none;
  if (contentType?.startsWith('application/x-tss-framed')) {
    return { ...none, payloads: keepFlight(group(readFrames(pieces))) };
  }
  const [first] = pieces;
  const isHtml = /^(?:text\/html|application\/xhtml)/i.test(contentType ?? '');
  if (isHtml || htmlStart.test(utf8.decode(first?.bytes.subarray(0, 100)))) return findInHtml(pieces);
  return { ...none, payloads: keepFlight([toPayload(pieces)]) };
}
