import 'server-only';

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { appMapsFolder } from '#src/store/maps-folder.ts';

import { openStore } from '#src/store/open-store.ts';

import { uploadLimits } from './limits.ts';

/**
 * Chunks of bundles that are on their way, in a folder of the app's: each is a file named by the SHA-1 of its content, which is
 * checked first. They are deleted when their bundle was put together, or after an hour.
 */
function chunksFolder(app: string): string {
  return path.join(appMapsFolder(app), 'chunks');
}

export function isChunkId(text: string): boolean {
  return /^[\da-f]{40}$/.test(text);
}

/** @param id the chunk's SHA-1 in hex */
export function chunkFile(app: string, id: string): string {
  return path.join(chunksFolder(app), id);
}

async function isThere(app: string, id: string): Promise<boolean> {
  const found = await stat(chunkFile(app, id)).catch(() => undefined);
  return found !== undefined;
}

/** Those of `ids` that are not here yet, in order. */
export async function listMissing(app: string, ids: readonly string[]): Promise<string[]> {
  const there = await Promise.all(ids.map((id) => isThere(app, id)));
  return ids.filter((_, index) => there[index] !== true);
}

export async function dropChunks(app: string, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => rm(chunkFile(app, id), { force: true })));
}

/** Deletes those that nobody came for. @returns the bytes of the others */
export async function dropOldChunks(app: string, now = Date.now()): Promise<number> {
  const folder = chunksFolder(app);
  const names = await readdir(folder).catch(() => []);
  let bytes = 0;
  for (const name of names) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (!found) continue;
    if (now - found.mtimeMs > uploadLimits.waitingMs) await rm(file, { force: true });
    else bytes += found.size;
  }
  return bytes;
}

export type KeptChunk = 'kept' | 'wrong-checksum' | 'too-many' | 'no-room';

export async function keepChunk(app: string, id: string, bytes: Uint8Array): Promise<KeptChunk> {
  if (createHash('sha1').update(bytes).digest('hex') !== id) return 'wrong-checksum';
  if (await isThere(app, id)) return 'kept';
  if (!(await openStore()).admitsFiles()) return 'no-room';
  await mkdir(chunksFolder(app), { recursive: true });
  if ((await dropOldChunks(app)) + bytes.length > uploadLimits.waitingBytes) return 'too-many';
  // A file under its own name is whole.
  const part = path.join(chunksFolder(app), `${randomUUID()}.part`);
  await writeFile(part, bytes);
  await rename(part, chunkFile(app, id));
  return 'kept';
}
