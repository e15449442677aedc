import {
  decodeFlight,
  extractFlightFromFrames,
  extractFlightFromHtml,
  scanFlight,
  type FramePiece,
  type HtmlFlightPiece,
  type HtmlFlightSource,
} from '#flight';

import { flightLimit } from '../../flight/flight-bytes.ts';
import type { ChunkTime } from '../../flight/flight-columns.ts';
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

type FoundPiece = FramePiece & Partial<Pick<HtmlFlightPiece, 'source'>>;

/** Pages with more streams than that were not seen; each becomes a flight. */
const payloadsLimit = 20;
const chunksLimit = 4_096;

const utf8 = new TextDecoder();
const htmlStart = /^\s*(?:<!doctype|<html|<!--|<head|<body|<script)/i;
const rowStart = /^[#~]?(?:[0-9a-f]{1,8}:|:[HNWD])/;

function join(pieces: readonly Piece[]): Uint8Array {
  return pieces.length === 1 && pieces[0] ? pieces[0].bytes : Buffer.concat(pieces.map(({ bytes }) => bytes));
}

function toPayload(pieces: readonly Piece[]): Payload {
  const chunks: ChunkTime[] = [];
  let total = 0;
  for (const { ms, bytes } of pieces) {
    total += bytes.length;
    const last = chunks.at(-1);
    if (last && (last[0] === ms || chunks.length >= chunksLimit)) {
      chunks[chunks.length - 1] = [last[0], last[1] + bytes.length, 0];
    } else chunks.push([ms, bytes.length, 0]);
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

/** Pieces in the order of the body, each of one stream. */
function group(pieces: readonly Piece[], found: readonly FoundPiece[]): Payload[] {
  const clock = createClock(pieces);
  const streams = new Map<string, Piece[]>();
  for (const { source = '', stream, bytes, endsAt } of found) {
    const piece = { ms: clock(endsAt), bytes };
    const key = `${source} ${stream}`;
    const known = streams.get(key);
    if (known) known.push(piece);
    else if (streams.size < payloadsLimit) streams.set(key, [piece]);
  }
  return [...streams.values()].map(toPayload);
}

function findInHtml(pieces: readonly Piece[]): Found {
  const bytes = join(pieces);
  const found = extractFlightFromHtml(bytes);
  return { payloads: group(pieces, found), html: utf8.decode(bytes), source: found[0]?.source };
}

/** Where nothing says that it is Flight, a text may begin as a row does (`12:30 is the time`): then all of it must be rows. */
function isFlight(bytes: Uint8Array, isExpected: boolean): boolean {
  if (!rowStart.test(utf8.decode(bytes.subarray(0, 16)))) return false;
  if (!isExpected) return decodeFlight(bytes).state.kind !== 'malformed';
  const { rows, end } = scanFlight([bytes]);
  return (rows > 0 && end.kind !== 'malformed') || end.kind === 'truncated';
}

/**
 * @param contentType as the answer names it; undefined where it does not
 * @param isAsked whether the request asks for Flight
 */
export function findPayloads(pieces: readonly Piece[], contentType: string | undefined, isAsked: boolean): Found {
  const none = { payloads: [], html: undefined, source: undefined };
  if (pieces.length === 0) return none;
  if (contentType?.startsWith('application/x-tss-framed')) {
    return { ...none, payloads: group(pieces, extractFlightFromFrames(join(pieces))) };
  }
  const [first] = pieces;
  const isHtml = /^(?:text\/html|application\/xhtml)/i.test(contentType ?? '');
  if (isHtml || htmlStart.test(utf8.decode(first?.bytes.subarray(0, 100)))) return findInHtml(pieces);
  const payload = toPayload(pieces);
  const isExpected = isAsked || (contentType ?? '').startsWith('text/x-component');
  return isFlight(payload.bytes, isExpected) ? { ...none, payloads: [payload] } : none;
}
