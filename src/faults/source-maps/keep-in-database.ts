import 'server-only';

import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';

import { type Kysely, sql } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import { appMapsFolder } from '#src/store/maps-folder.ts';
import type { Tables } from '#src/store/schema.ts';

/**
 * Several machines that share a PostgreSQL share no folder. There the maps are rows of `map_content`, and the folder of each machine is a
 * cache: a map that is asked for is written there first, as its uploader's machine did, and read by the thread from its file. With SQLite
 * the files in the data folder are the maps. Whoever stores, finds or deletes maps asks here, and nobody else asks which of the two it is.
 *
 * A map is written and read in parts, one statement each: a map of 20 MiB neither blocks this thread nor holds the turn to write. Its part
 * 0 says how many there are and is written last, so a map with a part 0 is whole. What an upload left that did not end is deleted when it
 * is an hour old.
 */

/** As hex, which it is on its way, twice as many characters: some milliseconds of this thread. */
const partBytes = 512 * 1024;
/** An upload takes a minute at most. */
const unnamedKeptMs = 3_600_000;

type Db = Kysely<Tables>;

export function mapFile(app: string, hash: string): string {
  return path.join(appMapsFolder(app), hash);
}

function isShared(db: Db): boolean {
  return dialectOf(db).isRemote;
}

async function isThere(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

/**
 * From now on nobody deletes it for an hour. With the turn to write, as whoever deletes has it: two statements that change the same rows
 * could wait for each other.
 * @returns whether it is there
 */
async function renew(db: Db, app: string, hash: string): Promise<boolean> {
  const rows = await db
    .transaction()
    .execute((trx) =>
      trx
        .updateTable('map_content')
        .set({ created: Date.now() })
        .where('app', '=', app)
        .where('hash', '=', hash)
        .returning('part')
        .execute(),
    );
  return rows.some(({ part }) => part === 0);
}

async function keepOne(db: Db, app: string, hash: string): Promise<void> {
  if (await renew(db, app, hash)) return;
  const { size } = await stat(mapFile(app, hash));
  const parts = Math.max(1, Math.ceil(size / partBytes));
  const created = Date.now();
  for (let part = parts - 1; part >= 0; part -= 1) {
    const end = Math.min(size, (part + 1) * partBytes) - 1;
    const read = size === 0 ? [] : createReadStream(mapFile(app, hash), { start: part * partBytes, end }).toArray();
    const bytes = Buffer.concat(await read);
    const row = { app, hash, part, parts, created, bytes };
    await db
      .insertInto('map_content')
      .values(row)
      .onConflict((conflict) => conflict.columns(['app', 'hash', 'part']).doUpdateSet({ created, parts, bytes }))
      .execute();
  }
}

/** Stores the files that the thread has written. With SQLite they stay what they are. */
export async function keepContents(db: Db, app: string, hashes: readonly string[]): Promise<void> {
  if (!isShared(db)) return;
  for (const hash of new Set(hashes)) await keepOne(db, app, hash);
}

/** Whether all of them are kept: in the transaction that names them, since another process may just have deleted one. */
export async function areContentsKept(trx: Db, app: string, hashes: readonly string[]): Promise<boolean> {
  const distinct = [...new Set(hashes)];
  if (!isShared(trx)) return (await Promise.all(distinct.map((hash) => isThere(mapFile(app, hash))))).every(Boolean);
  const { kept } = await trx
    .selectFrom('map_content')
    .select(({ fn }) => fn.countAll<number>().as('kept'))
    .where('app', '=', app)
    .where('part', '=', 0)
    .where(dialectOf(trx).isOneOf(sql.ref('hash'), distinct))
    .executeTakeFirstOrThrow();
  return kept === distinct.length;
}

async function readPart(db: Db, app: string, hash: string, part: number) {
  const row = db.selectFrom('map_content').select(['parts', 'bytes']).where('app', '=', app).where('hash', '=', hash);
  return row.where('part', '=', part).executeTakeFirst();
}

/** @returns whether it was there */
async function fetchFile(db: Db, app: string, hash: string): Promise<boolean> {
  const first = await readPart(db, app, hash, 0);
  if (!first) return false;
  await mkdir(appMapsFolder(app), { recursive: true });
  // Written under another name first: a file under its own name is whole.
  const part = mapFile(app, `${randomUUID()}.part`);
  const file = await open(part, 'wx', 0o600);
  try {
    await file.write(first.bytes);
    for (let at = 1; at < first.parts; at += 1) {
      const next = await readPart(db, app, hash, at);
      // Deleted meanwhile.
      if (!next) return false;
      await file.write(next.bytes);
    }
    await rename(part, mapFile(app, hash));
    return true;
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

const fetching = new Map<string, Promise<boolean>>();

/**
 * @param file as `mapFile` names it
 * @returns whether it is on this machine now; false when the map is nowhere
 * @throws the database's error, or the disk's
 */
export async function bringMap(db: Db, file: string): Promise<boolean> {
  if (!isShared(db) || (await isThere(file))) return true;
  const known = fetching.get(file);
  if (known) return known;
  const done = fetchFile(db, path.basename(path.dirname(file)), path.basename(file)).finally(() =>
    fetching.delete(file),
  );
  fetching.set(file, done);
  return done;
}

function isUnnamed() {
  return sql<boolean>`not exists (select 1 from map_file where map_file.app = map_content.app and map_file.hash = map_content.hash)`;
}

/** Deletes contents in the transaction that deletes bundles. @param hashes those of the bundles; what no other bundle names is deleted */
export async function dropContents(trx: Db, app: string, hashes: readonly string[]): Promise<void> {
  if (!isShared(trx)) return;
  await trx
    .deleteFrom('map_content')
    .where('app', '=', app)
    .where(dialectOf(trx).isOneOf(sql.ref('hash'), hashes))
    .where(isUnnamed())
    .execute();
}

/** What uploads left that did not end. */
export async function sweepContents(db: Db, now: number = Date.now()): Promise<void> {
  if (!isShared(db)) return;
  await db.transaction().execute((trx) =>
    trx
      .deleteFrom('map_content')
      .where('created', '<', now - unnamedKeptMs)
      .where(isUnnamed())
      .execute(),
  );
}
