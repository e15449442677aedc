import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';

/**
 * A body without its compression, each piece with the time of the chunk that released it: a server that flushes a compressed
 * stream sends what it has so far, and so a browser shows it then.
 *
 * It is a copy that is read here, of whatever an app sent: it may be damaged, cut off, or a bomb. So what came until then counts,
 * and what comes out is bounded.
 */
export type Piece = { readonly ms: number; readonly bytes: Uint8Array };

export type DecodedBody = {
  readonly pieces: readonly Piece[];
  /** `cut`: there was more than the limit. `unreadable`: damaged from there on, or in a coding that nobody knows. */
  readonly state: 'whole' | 'cut' | 'unreadable';
};

/** Eight times what is kept of a flight: a page carries each row twice, as HTML and as Flight. */
const decodedLimit = 8 * 1024 * 1024;
/** What zlib makes at once. */
const outputBytes = 64 * 1024;

function sliceByTimes(body: Uint8Array, times: readonly number[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (let index = 0; index + 1 < times.length; index += 2) {
    const size = times[index + 1] ?? 0;
    pieces.push({ ms: times[index] ?? 0, bytes: body.subarray(at, at + size) });
    at += size;
  }
  return pieces;
}

/** RFC 9110 calls zlib's format `deflate`; some servers send it without zlib's header. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** @param start the first bytes of what is coded */
function createDecoder(coding: string, start: Uint8Array): Transform | undefined {
  const options = { chunkSize: outputBytes };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(options);
    case 'deflate':
      return isZlib(start) ? createInflate(options) : createInflateRaw(options);
    case 'br':
      return createBrotliDecompress(options);
    case 'zstd':
      return createZstdDecompress(options);
    default:
      return undefined;
  }
}

/** Writes piece after piece, and waits for each: what comes out meanwhile has its time. */
async function pass(decoder: Transform, raw: readonly Piece[], limit: number): Promise<DecodedBody> {
  const pieces: Piece[] = [];
  let state: DecodedBody['state'] = 'whole';
  let total = 0;
  let ms = 0;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  decoder.on('data', (bytes: Uint8Array) => {
    const kept = bytes.subarray(0, limit - total);
    if (kept.length > 0) pieces.push({ ms, bytes: kept });
    total += kept.length;
    if (kept.length === bytes.length) return;
    state = 'cut';
    decoder.destroy();
  });
  decoder.on('error', () => {
    state = 'unreadable';
  });
  decoder.on('close', stop);
  for (const piece of raw) {
    if (decoder.destroyed) break;
    ({ ms } = piece);
    await Promise.race([stopped, new Promise((resolve) => decoder.write(piece.bytes, resolve))]);
  }
  // A body that was cut off has no end to wait for. All that can be had of it has come out.
  decoder.destroy();
  await stopped;
  return { pieces, state };
}

/** Content codings in the order in which they are taken off; `none` is no coding, and some servers send it. */
function listCodings(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity' && coding !== 'none')
    .toReversed();
}

/** An answer has one coding, seldom two. */
const mostCodings = 3;

/** @param times of the chunks of `body`, see `Exchange` */
export async function decodeBody(
  body: Uint8Array,
  times: readonly number[],
  contentEncoding: string | undefined,
  limit: number = decodedLimit,
): Promise<DecodedBody> {
  let decoded: DecodedBody = { pieces: sliceByTimes(body, times), state: 'whole' };
  const codings = listCodings(contentEncoding);
  if (codings.length > mostCodings) return { pieces: [], state: 'unreadable' };
  for (const coding of codings) {
    if (decoded.pieces.length === 0) break;
    const start = Buffer.concat(decoded.pieces.slice(0, 2).map(({ bytes }) => bytes.subarray(0, 2)));
    const decoder = createDecoder(coding, start);
    if (!decoder) return { pieces: [], state: 'unreadable' };
    const { pieces, state } = await pass(decoder, decoded.pieces, limit);
    decoded = { pieces, state: decoded.state === 'whole' ? state : decoded.state };
  }
  return decoded;
}
