import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * The compressed twins of the build's files: made once, when the app is built, so that a request for a file costs no
 * compression. The server only reads them.
 */
export const twinFolder = 'twins';

/** Best first. */
export const twinEncodings = ['br', 'gzip'] as const;
export type TwinEncoding = (typeof twinEncodings)[number];

/** Images and fonts are compressed already. */
const compressibleExtensions = new Set(['.css', '.html', '.ico', '.js', '.json', '.svg', '.txt', '.webmanifest']);
/** Less than this is one network packet either way. */
const smallestFile = 1024;
/** A twin is in the server's memory for good, so it must be worth it. */
const mostOfOriginal = 0.9;

const compressors: Record<TwinEncoding, (body: Uint8Array) => Promise<Uint8Array>> = {
  // The highest quality is the default of both Brotli and this call.
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength } }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** A file of the build is found by what it holds: a twin of anything else is not its twin. */
export function toTwinName(body: Uint8Array, encoding: TwinEncoding): string {
  return `${createHash('sha256').update(body).digest('base64url')}.${encoding}`;
}

async function writeTwins(file: string, folder: string): Promise<void> {
  const body = readFileSync(file);
  if (body.byteLength < smallestFile) return;
  await Promise.all(
    twinEncodings.map(async (encoding) => {
      const twin = await compressors[encoding](body);
      if (twin.byteLength > body.byteLength * mostOfOriginal) return;
      writeFileSync(path.join(folder, toTwinName(body, encoding)), twin);
    }),
  );
}

/** Compresses the files below `publicFolder` into `folder`, which is emptied first. */
export async function compressFiles(publicFolder: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync(publicFolder)) return;
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(publicFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && compressibleExtensions.has(path.extname(entry.name)))
    .map((entry) => path.join(entry.parentPath, entry.name));
  await Promise.all(files.map((file) => writeTwins(file, folder)));
}
