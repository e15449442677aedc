import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * The precompressed variants of the build's files: made once, when the app is built, so that a request for a file costs
 * no compression. The server only reads them.
 */
export const precompressedFolder = 'precompressed';

/** Best first. */
export const precompressedEncodings = ['br', 'gzip'] as const;
export type PrecompressedEncoding = (typeof precompressedEncodings)[number];

/** Images and fonts are compressed already. */
const compressibleExtensions = new Set(['.css', '.html', '.ico', '.js', '.json', '.svg', '.txt', '.webmanifest']);
/** Less than this is one network packet either way. */
const smallestFile = 1400;
/** A variant stays in the server's memory for good, so it must be worth it. */
const mostOfOriginal = 0.9;

type Compress = (body: Uint8Array, brotliQuality: number) => Promise<Uint8Array>;

const compressors: Record<PrecompressedEncoding, Compress> = {
  br: (body, brotliQuality) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
      },
    }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** Named by the hash of the file's content: a variant cannot belong to another version of the file. */
export function toPrecompressedName(body: Uint8Array, encoding: PrecompressedEncoding): string {
  return `${createHash('sha256').update(body).digest('base64url')}.${encoding}`;
}

async function writeVariants(file: string, folder: string, brotliQuality: number): Promise<void> {
  const body = readFileSync(file);
  if (body.byteLength < smallestFile) return;
  await Promise.all(
    precompressedEncodings.map(async (encoding) => {
      const compressed = await compressors[encoding](body, brotliQuality);
      if (compressed.byteLength > body.byteLength * mostOfOriginal) return;
      writeFileSync(path.join(folder, toPrecompressedName(body, encoding)), compressed);
    }),
  );
}

/**
 * Compresses the files below `publicFolder` into `folder`, which is emptied first.
 * @param brotliQuality the highest, unless somebody waits for it
 */
export async function compressFiles(
  publicFolder: string,
  folder: string,
  brotliQuality: number = constants.BROTLI_MAX_QUALITY,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync(publicFolder)) return;
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(publicFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && compressibleExtensions.has(path.extname(entry.name)))
    .map((entry) => path.join(entry.parentPath, entry.name));
  await Promise.all(files.map((file) => writeVariants(file, folder, brotliQuality)));
}
