import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createGunzip,
  createGzip,
  createInflate,
  createInflateRaw,
  createZstdCompress,
  createZstdDecompress,
} from 'node:zlib';

/** The codings of answers that can be read and written here: each answer keeps its own. */
export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

export type Recoder = {
  readonly decoder: Transform;
  readonly encoder: Transform & { readonly flush: (kind?: number) => void };
  /** Lets out what was written to the encoder. */
  readonly flush: () => void;
};

/** `identity` is no coding. Undefined: it cannot be read here. */
export function readCoding(header: string): Coding | 'identity' | undefined {
  const name = header.trim().toLowerCase();
  switch (name) {
    case '':
    case 'identity':
      return 'identity';
    case 'x-gzip':
      return 'gzip';
    case 'gzip':
    case 'deflate':
    case 'br':
    case 'zstd':
      return name;
    default:
      return undefined;
  }
}

/** As servers compress what they make for each request: Brotli's own default takes ten times as long. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } };

/** RFC 9110 calls zlib's format `deflate`; some servers send it without zlib's header. */
function createInflater(first: Uint8Array): Transform {
  const [one = 0, two = 0] = first;
  return (one & 0x0f) === 8 && ((one << 8) | two) % 31 === 0 ? createInflate() : createInflateRaw();
}

/** @param first the first bytes of the body */
export function createRecoder(coding: Coding, first: Uint8Array): Recoder {
  switch (coding) {
    case 'gzip': {
      const encoder = createGzip();
      return { decoder: createGunzip(), encoder, flush: () => encoder.flush(constants.Z_SYNC_FLUSH) };
    }
    case 'deflate': {
      const encoder = createDeflate();
      return { decoder: createInflater(first), encoder, flush: () => encoder.flush(constants.Z_SYNC_FLUSH) };
    }
    case 'br': {
      const encoder = createBrotliCompress(brotli);
      return {
        decoder: createBrotliDecompress(),
        encoder,
        flush: () => encoder.flush(constants.BROTLI_OPERATION_FLUSH),
      };
    }
    case 'zstd': {
      const encoder = createZstdCompress();
      return { decoder: createZstdDecompress(), encoder, flush: () => encoder.flush(constants.ZSTD_e_flush) };
    }
  }
}
