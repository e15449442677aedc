import 'server-only';

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { type Kysely, sql } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import { appMapsFolder } from '#src/store/maps-folder.ts';

import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

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

async function listThere(db: Kysely<Tables>, app: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const dialect = dialectOf(db);
  if (!dialect.isRemote) {
    const there = await Promise.all(ids.map((id) => isThere(app, id)));
    return new Set(ids.filter((_, index) => there[index]));
  }
  const found = db.selectFrom('map_chunk').select('id').where('app', '=', app);
  const rows = await found.where(dialect.isOneOf(sql.ref('id'), ids)).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns those of `ids` that are not here yet, in order. */
export async function listMissing(app: string, ids: readonly string[]): Promise<string[]> {
  const { db } = await openStore();
  const there = await listThere(db, app, ids);
  return ids.filter((id) => !there.has(id));
}

/** The files of these chunks, in order. @throws when one of them is not here any more */
export async function bringChunks(app: string, ids: readonly string[]): Promise<readonly string[]> {
  const { db } = await openStore();
  if (dialectOf(db).isRemote) {
    await mkdir(chunksFolder(app), { recursive: true });
    for (const id of new Set(ids)) {
      const chunk = db.selectFrom('map_chunk').select('bytes').where('app', '=', app).where('id', '=', id);
      await writeChunk(app, id, (await chunk.executeTakeFirstOrThrow()).bytes);
    }
  }
  return ids.map((id) => chunkFile(app, id));
}

export async function dropChunks(app: string, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => rm(chunkFile(app, id), { force: true })));
  const { db } = await openStore();
  held.get(db)?.delete(app);
  const dialect = dialectOf(db);
  if (!dialect.isRemote) return;
  const chunks = db.deleteFrom('map_chunk').where('app', '=', app);
  await chunks.where(dialect.isOneOf(sql.ref('id'), ids)).execute();
}

/** All but the last of a bundle have half a megabyte. So no more than two thousand wait, however small they are: each is looked at. */
const leastHeld = 64 * 1024;
/** Looking at all of them costs more than storing one. */
const countedMs = 10_000;

type Held = { bytes: number; readonly countedAt: number };

/** What waits of each app, as it was counted. */
const held = new WeakMap<Kysely<Tables>, Map<string, Held>>();

async function countHeld(db: Kysely<Tables>, app: string): Promise<Held> {
  const ofApps = held.get(db) ?? new Map<string, Held>();
  const known = ofApps.get(app);
  if (known && Date.now() - known.countedAt < countedMs) return known;
  const counted = { bytes: await dropOldChunks(app), countedAt: Date.now() };
  held.set(db, ofApps.set(app, counted));
  return counted;
}

/** Deletes those that nobody came for. @returns the bytes of the others */
export async function dropOldChunks(app: string): Promise<number> {
  const now = Date.now();
  const folder = chunksFolder(app);
  const names = await readdir(folder).catch(() => []);
  let bytes = 0;
  for (const name of names) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (!found) continue;
    if (now - found.mtimeMs > uploadLimits.waitingMs) await rm(file, { force: true });
    else bytes += Math.max(found.size, leastHeld);
  }
  const { db } = await openStore();
  return dialectOf(db).isRemote ? dropOldRows(db, app, now) : bytes;
}

/** Does what `dropOldChunks` does, for rows. The files beside them are those of a bundle that is being put together. */
async function dropOldRows(db: Kysely<Tables>, app: string, now: number): Promise<number> {
  await db
    .deleteFrom('map_chunk')
    .where('received_at', '<', now - uploadLimits.waitingMs)
    .execute();
  const { bytes } = await db
    .selectFrom('map_chunk')
    .select(sql<number>`coalesce(sum(greatest(octet_length(bytes), ${leastHeld})), 0)`.as('bytes'))
    .where('app', '=', app)
    .executeTakeFirstOrThrow();
  return bytes;
}

/** A file under its own name is whole. */
async function writeChunk(app: string, id: string, bytes: Uint8Array): Promise<void> {
  const part = path.join(chunksFolder(app), `${randomUUID()}.part`);
  await writeFile(part, bytes);
  await rename(part, chunkFile(app, id));
}

async function storeChunk(db: Kysely<Tables>, app: string, id: string, bytes: Uint8Array): Promise<void> {
  if (!dialectOf(db).isRemote) {
    await mkdir(chunksFolder(app), { recursive: true });
    return writeChunk(app, id, bytes);
  }
  await db
    .insertInto('map_chunk')
    .values({ app, id, received_at: Date.now(), bytes })
    .onConflict((conflict) => conflict.columns(['app', 'id']).doNothing())
    .execute();
}

export type KeptChunk = 'kept' | 'wrong-checksum' | 'too-many' | 'no-room';

export async function keepChunk(app: string, id: string, bytes: Uint8Array): Promise<KeptChunk> {
  if (createHash('sha1').update(bytes).digest('hex') !== id) return 'wrong-checksum';
  const { db, admitsFiles } = await openStore();
  if ((await listThere(db, app, [id])).has(id)) return 'kept';
  if (!admitsFiles()) return 'no-room';
  const waiting = await countHeld(db, app);
  if (waiting.bytes + bytes.length > uploadLimits.waitingBytes) return 'too-many';
  waiting.bytes += Math.max(bytes.length, leastHeld);
  await storeChunk(db, app, id, bytes);
  return 'kept';
}
