import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

import { type QueryExecutorProvider, sql } from 'kysely';

import type { Side, Target } from './side.ts';

/**
 * Uploaded source maps: files in the data folder, rows in PostgreSQL (src/reports/source-maps/keep-in-database.ts). They are named by
 * their content, so what is there already is the same. A map whose file is gone was deleted with its uploads, or by hand: it
 * is left out on both sides.
 */

/** As the server writes them. */
const partBytes = 512 * 1024;

type Named = { readonly app: string; readonly hash: string };

async function listMaps(db: QueryExecutorProvider): Promise<readonly Named[]> {
  const { rows } = await sql<Named>`select distinct app, hash from map_file order by app, hash`.execute(db);
  return rows;
}

function fileOf(folder: string, { app, hash }: Named): string {
  return path.join(folder, 'source-maps', app, hash);
}

async function isKept(db: QueryExecutorProvider, { app, hash }: Named): Promise<boolean> {
  const { rows } = await sql`select 1 from map_content where app = ${app} and hash = ${hash} and part = 0`.execute(db);
  return rows.length > 0;
}

/** Part 0 last: a map that has it is whole. */
async function toRows(target: Target, named: Named, content: Buffer): Promise<void> {
  const parts = Math.max(1, Math.ceil(content.length / partBytes));
  for (let part = parts - 1; part >= 0; part -= 1) {
    const bytes = content.subarray(part * partBytes, (part + 1) * partBytes);
    await target.transact('store', async (trx) => {
      await sql`insert into map_content (app, hash, part, parts, created, bytes)
        values (${named.app}, ${named.hash}, ${part}, ${parts}, ${Date.now()}, ${bytes})
        on conflict (app, hash, part) do update set parts = excluded.parts, bytes = excluded.bytes`.execute(trx);
    });
  }
}

/** @returns false when it is not there */
async function toFile(source: QueryExecutorProvider, named: Named, file: string): Promise<boolean> {
  if (!(await isKept(source, named))) return false;
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
  await rename(`${file}.part`, file);
  return true;
}

/** @returns how many are there now */
export async function moveMaps(source: Side, target: Target): Promise<number> {
  const [from, to] = [source.db('store'), target.db('store')];
  if (!from || !to) return 0;
  let count = 0;
  for (const named of await listMaps(from)) {
    if (target.engine === 'postgres') {
      const file = fileOf(source.shown, named);
      if (!existsSync(file)) continue;
      if (!(await isKept(to, named))) await toRows(target, named, await readFile(file));
      count += 1;
    } else {
      const file = fileOf(target.shown, named);
      if (existsSync(file) || (await toFile(from, named, file))) count += 1;
    }
  }
  return count;
}
