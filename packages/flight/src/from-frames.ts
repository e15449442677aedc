import { joinPieces } from './framing.ts';
import { beginsAsFlight } from './flight-start.ts';

/**
 * The Flight in what a server function of TanStack Start answers (`application/x-tss-framed`): frames of a byte for the type,
 * four for the stream and four for the length, big-endian, then the payload. Frames of JSON describe the value, and each
 * server component in it is a stream of its own, whose chunks are mixed with those of the others. A stream that does not
 * begin as Flight, a file for example, is left out.
 *
 * Source: frame-protocol.ts in @tanstack/start-server-core 1.169 and constants.ts in @tanstack/start-client-core 1.170.
 */
export type FrameFlight = {
  stream: number;
  bytes: Uint8Array;
  /** Where each piece ends in `bytes`. */
  ends: readonly number[];
  /** What the server says went wrong with the stream. */
  error: string | undefined;
};

/** One piece of a payload: the payload of one frame. */
export type FramePiece = {
  readonly stream: number;
  readonly bytes: Uint8Array;
  /** Offset in the body after the piece's last byte. */
  readonly endsAt: number;
};

const headerBytes = 9;
const frameTypes = { json: 0, chunk: 1, end: 2, error: 3 };

/** The client accepts no longer payload, and no more streams. */
const maxPayloadBytes = 16 * 1024 * 1024;
const maxStreams = 1024;

const brace = 0x7b;
const utf8 = new TextDecoder();

type Frame = { type: number; stream: number; payload: Uint8Array; endsAt: number };

/** The frames up to the first that is none; one that is cut has what there is of it. */
function* readFrames(bytes: Uint8Array): Generator<Frame> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + headerBytes <= bytes.length;) {
    const type = view.getUint8(at);
    const length = view.getUint32(at + 5);
    if (type > frameTypes.error || length > maxPayloadBytes) return;
    const start = at + headerBytes;
    const end = Math.min(start + length, bytes.length);
    yield { type, stream: view.getUint32(at + 1), payload: bytes.subarray(start, end), endsAt: end };
    at = end;
  }
}

/** Whether it begins as such a body does: with a frame of JSON, which is an object. */
export function looksLikeFrames(bytes: Uint8Array): boolean {
  const [first] = readFrames(bytes.subarray(0, headerBytes + 1));
  return first?.type === frameTypes.json && first.stream === 0 && first.payload[0] === brace;
}

type Stream = { pieces: FramePiece[]; error: string | undefined };

function readStreams(bytes: Uint8Array): Map<number, Stream> {
  const streams = new Map<number, Stream>();
  for (const { type, stream, payload, endsAt } of readFrames(bytes)) {
    if (type !== frameTypes.chunk && type !== frameTypes.error) continue;
    if (!streams.has(stream) && streams.size === maxStreams) continue;
    const own = streams.get(stream) ?? { pieces: [], error: undefined };
    streams.set(stream, own);
    if (type === frameTypes.chunk) own.pieces.push({ stream, bytes: payload, endsAt });
    else own.error = utf8.decode(payload);
  }
  return streams;
}

/** Enough to tell what a stream is, of pieces and of bytes of each: a chunk may be a byte long. */
const headPieces = 16;

function isFlight({ pieces }: Stream): boolean {
  return beginsAsFlight(joinPieces(pieces.slice(0, headPieces).map(({ bytes }) => bytes.subarray(0, headPieces))));
}

/** The payloads in a framed body, in the order of their first pieces. Never throws. */
export function readFlightFromFrames(bytes: Uint8Array): FrameFlight[] {
  return [...readStreams(bytes)]
    .filter(([, stream]) => isFlight(stream))
    .map(([stream, { pieces, error }]) => {
      let at = 0;
      const ends = pieces.map((piece) => (at += piece.bytes.length));
      return { stream, bytes: joinPieces(pieces.map((piece) => piece.bytes)), ends, error };
    });
}

/** The same, piece by piece in the order of the body, for who knows when its bytes came. */
export function extractFlightFromFrames(bytes: Uint8Array): readonly FramePiece[] {
  return [...readStreams(bytes).values()]
    .filter(isFlight)
    .flatMap(({ pieces }) => pieces)
    .toSorted((a, b) => a.endsAt - b.endsAt);
}
