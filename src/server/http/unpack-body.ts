import { promisify } from 'node:util';
import { constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';

/**
 * Unpacks a body that may be hostile. What comes out is counted while it is made, so a bomb costs its limit and no more.
 *
 * Brotli is left out on purpose: 800 bytes of it unpack to half a gigabyte, and no SDK sends it.
 */
export type Coding = 'identity' | 'gzip' | 'deflate' | 'zstd';

const codings: Readonly<Record<string, Coding>> = {
  identity: 'identity',
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  zstd: 'zstd',
};

/** For the `Accept-Encoding` of a refusal. */
export const codingsTaken = 'gzip, deflate, zstd, identity';

/** Returns undefined for a content coding that is not taken. @param header `Content-Encoding`, as it came */
export function readCoding(header: string | undefined): Coding | undefined {
  const name = (header ?? '').trim().toLowerCase();
  return name === '' ? 'identity' : Object.hasOwn(codings, name) ? codings[name] : undefined;
}

type Unpack = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const unpackGzip: Unpack = promisify(gunzip);
const unpackZlib: Unpack = promisify(inflate);
const unpackRaw: Unpack = promisify(inflateRaw);
const unpackZstd = promisify(zstdDecompress);

/** 8 MiB, the largest window that zstd makes without `--ultra`. By default a frame may ask for 128. */
const zstdWindowLog = 23;

/** RFC 1950: method 8, and the first two bytes are a multiple of 31. Some clients send the bare stream as `deflate`. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

function unpackAs(coding: Exclude<Coding, 'identity'>, body: Uint8Array, limit: number): Promise<Buffer> {
  const options = { maxOutputLength: limit };
  switch (coding) {
    case 'gzip':
      return unpackGzip(body, options);
    case 'deflate':
      return hasZlibHeader(body) ? unpackZlib(body, options) : unpackRaw(body, options);
    case 'zstd':
      return unpackZstd(body, { ...options, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } });
  }
}

export async function unpackBody(
  body: Uint8Array,
  coding: Coding,
  limit: number,
): Promise<Uint8Array | 'too-large' | 'malformed'> {
  if (coding === 'identity') return body.length > limit ? 'too-large' : body;
  try {
    return await unpackAs(coding, body, limit);
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? 'too-large' : 'malformed';
  }
}
