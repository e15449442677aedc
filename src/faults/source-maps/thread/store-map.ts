import { createHash, randomUUID } from 'node:crypto';
import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import { isRecord } from '#boundary';
import { parseBounded } from './parse-bounded.ts';

/**
 * A stored map is a file whose name is the SHA-256 of its JSON. Nothing that an uploader wrote is ever part of a path. The same map of
 * two bundles is one file.
 */

/** A larger map is not worth the memory on a 256 MB machine. Ours have a tenth of this, those of large apps a half. */
export const largestMapBytes = 20 * 1024 * 1024;

/** What a stored map of our own build has besides: the folder from which it names its sources. */
export const folderKey = 'x_flight_folder';

/** A prefix that keeps JSON from being run as a script; the format allows it. */
const guard = /^\)\]\}'[^\n]*\n/;

export type RawMap = Readonly<Record<string, unknown>>;

/** Returns undefined when it is not a source map. */
export function parseMap(json: string): RawMap | undefined {
  const map = parseBounded(json.replace(guard, ''));
  if (!isRecord(map)) return undefined;
  return typeof map['mappings'] === 'string' || Array.isArray(map['sections']) ? map : undefined;
}

/** 32 hex digits, however it was written. Some tools add an age behind them, which is left out. */
export function readDebugId(value: unknown): string | undefined {
  const plain = typeof value === 'string' && value.length <= 64 ? value.replaceAll('-', '').toLowerCase() : '';
  return /^[\da-f]{32}/.exec(plain)?.[0];
}

export type Kept = { readonly hash: string; readonly bytes: number };

/** @param json of one map */
export function storeMap(folder: string, json: Uint8Array): Kept {
  const hash = createHash('sha256').update(json).digest('hex');
  const file = path.join(folder, hash);
  if (!existsSync(file)) {
    // Written under another name first: a file under its own name is whole.
    const part = path.join(folder, `${randomUUID()}.part`);
    writeFileSync(part, zstdCompressSync(json));
    renameSync(part, file);
  }
  return { hash, bytes: statSync(file).size };
}

/** @throws when it is not there, or unpacks to more than a map may have */
export function unpackMap(packed: Uint8Array): Buffer {
  return zstdDecompressSync(packed, { maxOutputLength: largestMapBytes });
}
