import { joinPieces } from './framing.ts';

/**
 * Unpacking, with an end: a kilobyte of gzip can be a megabyte. Node and browsers unpack gzip by themselves; who has more
 * (zstd in Node's `zlib`, say) passes a function of this type.
 */
export type Decompress = (
  bytes: Uint8Array,
  format: 'gzip' | 'zstd',
  /** What comes out may be no longer; for more, throw a RangeError (as Node's `maxOutputLength` does). */
  maxBytes: number,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/**
 * What Node and browsers offer. Of the formats that can be told from their bytes that is gzip alone.
 * @returns undefined for others. @throws for damage, and for too many bytes
 */
export const decompressHere: Decompress = async (bytes, format, maxBytes) => {
  if (format !== 'gzip') return undefined;
  const packed = new Blob([bytes.slice()]).stream();
  const reader = packed.pipeThrough(new DecompressionStream(format)).getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > maxBytes) {
      await reader.cancel();
      throw new RangeError();
    }
    pieces.push(next.value);
  }
  return joinPieces(pieces);
};
