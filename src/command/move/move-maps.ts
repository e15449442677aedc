import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { type QueryExecutorProvider, sql } from 'kysely';

import { isMap, isMapName, mapFileIn, type MapName } from '#src/store/backup-maps.ts';

import type { Side, Target } from './side.ts';

/**
 * Uploaded source maps: files in the data folder, rows in PostgreSQL (src/faults/source-maps/keep-in-database.ts). They are named by
 * their content, so what is there already is the same. A map whose file is gone was deleted with its uploads, or by hand: it
 * is left out, as is one that is not what its name says. So what stands in a damaged or strange source is no path, and no map.
 */

/** As the server writes them. */
const partBytes = 512 * 1024;

async function listMaps(db: QueryExecutorProvider): Promise<readonly MapName[]> {
  const { rows } = await sql<MapName>`select distinct app, hash from map_file order by app, hash`.execute(db);
  return rows.filter(isMapName);
}

async function isKept(db: QueryExecutorProvider, { app, hash }: MapName): Promise<boolean> {
  const { rows } = await sql`select 1 from map_content where app = ${app} and hash = ${hash} and part = 0`.execute(db);
  return rows.length > 0;
}

/** Part 0 last: a map that has it is whole. */
async function toRows(target: Target, named: MapName, content: Buffer): Promise<void> {
  const parts = Math.max(1, Math.ceil(content.length / partBytes));
  for (let part = parts - 1; part >= 0; part -= 1) {
    const bytes = content.subarray(part * partBytes, (part + 1) * partBytes);
    await target.transact('store', async (trx) => {
      await sql`insert into map_content (app, hash, part, parts, created, bytes)
        values (${named.app}, ${named.hash}, ${part}, ${parts}, ${Date.now()}, ${bytes})`.execute(trx);
    });
  }
}

export type MovedMaps = { readonly there: number; readonly missing: number; readonly damaged: number };

async function fromFile(target: Target, named: MapName, file: string): Promise<keyof MovedMaps> {
  if (!existsSync(file)) return 'missing';
  const content = await readFile(file);
  if (!isMap(named, content)) return 'damaged';
  await toRows(target, named, content);
  return 'there';
}

async function toFile(source: QueryExecutorProvider, named: MapName, file: string): Promise<keyof MovedMaps> {
  if (existsSync(file)) return 'there';
  if (!(await isKept(source, named))) return 'missing';
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(`${file}.part`, 'w', 0o600);
  try {
    for (let part = 0; ; part += 1) {
      const { rows } = await sql<{ parts: number; bytes: Uint8Array }>`select parts, bytes from map_content
        where app = ${named.app} and hash = ${named.hash} and part = ${part}`.execute(source);
      const [found] = rows;
      if (!found) throw new Error(`The source map ${named.hash} of ${named.app} has no part ${part}`);
      await handle.write(found.bytes);
      if (part + 1 >= found.parts) break;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (!isMap(named, await readFile(`${file}.part`))) {
    await rm(`${file}.part`);
    return 'damaged';
  }
  await rename(`${file}.part`, file);
  return 'there';
}

/** @returns what is there now, and how many were left out because they are not what their name says */
export async function moveMaps(source: Side, target: Target): Promise<MovedMaps> {
  const counts = { there: 0, missing: 0, damaged: 0 };
  const from = source.db('store');
  if (!from) return counts;
  for (const named of await listMaps(from)) {
    const result =
      target.engine === 'postgres'
        ? await fromFile(target, named, mapFileIn(source.shown, named))
        : await toFile(from, named, mapFileIn(target.shown, named));
    counts[result] += 1;
  }
  return counts;
}
