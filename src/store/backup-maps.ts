import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

import { syncFolder } from './copy-database.ts';

/**
 * Source maps in a backup. In the data folder they are files (maps-folder.ts); in a backup they are rows of a table that no database of a
 * server has, so a backup stays one file. A restore writes them back and drops the table.
 *
 * A backup may be damaged, or somebody else's. So a name that no map can have is not looked at, and a map is written only when it is what
 * its name says: the SHA-256 of its JSON.
 */
const table = 'backup_map';

/** What one may unpack to, as for uploads (faults/source-maps/thread/store-map.ts). Packed it is smaller. */
const largestMapBytes = 20 * 1024 * 1024;

export type MapName = { readonly app: string; readonly hash: string };

/** Whether both can be parts of a path: an app's id, and a SHA-256 in hex. */
export function isMapName({ app, hash }: MapName): boolean {
  return /^[a-z\d][a-z\d-]{0,39}$/.test(app) && /^[\da-f]{64}$/.test(hash);
}

/** Whether the packed map is the one that is named so. */
export function isMap({ hash }: MapName, packed: Uint8Array): boolean {
  try {
    const json = zstdDecompressSync(packed, { maxOutputLength: largestMapBytes });
    return createHash('sha256').update(json).digest('hex') === hash;
  } catch {
    // Not packed as maps are, cut off, or larger than one may be.
    return false;
  }
}

/** @param data the data folder */
export function mapFileIn(data: string, { app, hash }: MapName): string {
  return path.join(data, 'source-maps', app, hash);
}

function readName(row: Readonly<Record<string, unknown>>): MapName | undefined {
  const { app, hash } = row;
  const name = typeof app === 'string' && typeof hash === 'string' ? { app, hash } : undefined;
  return name && isMapName(name) ? name : undefined;
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name);
  return found !== undefined;
}

/**
 * Adds the maps that the copy `file` names. One whose file is gone was deleted with its upload, and is left out.
 * @returns how many were added
 */
export function addMaps(file: string, data: string): number {
  const database = new DatabaseSync(file);
  try {
    // A copy is in WAL mode. It has no second file then, also when this is interrupted.
    database.exec('pragma journal_mode = delete');
    if (!hasTable(database, 'map_file')) return 0;
    const named = database.prepare('select distinct app, hash from map_file order by app, hash').all();
    database.exec('begin');
    database.exec(`create table ${table} (app text not null, hash text not null, bytes blob not null)`);
    const insert = database.prepare(`insert into ${table} (app, hash, bytes) values (?, ?, ?)`);
    let count = 0;
    for (const row of named) {
      const name = readName(row);
      if (!name || !existsSync(mapFileIn(data, name))) continue;
      insert.run(name.app, name.hash, readFileSync(mapFileIn(data, name)));
      count += 1;
    }
    database.exec('commit');
    return count;
  } finally {
    database.close();
  }
}

function writeMap(file: string, packed: Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  // Written under another name first: a file under its own name is whole.
  const part = `${file}.part`;
  rmSync(part, { force: true });
  writeFileSync(part, packed, { mode: 0o600, flag: 'wx' });
  const handle = openSync(part, 'r');
  fsyncSync(handle);
  closeSync(handle);
  renameSync(part, file);
}

export type TakenMaps = {
  readonly taken: number;
  /** Were damaged, or not what their name says. */
  readonly refused: number;
};

/**
 * Writes the maps of the copied backup `file` into the data folder, and takes them out of the copy. What is there already is the same.
 * @throws when the disk does not take them
 */
export function takeMaps(file: string, data: string): TakenMaps {
  const database = new DatabaseSync(file);
  const counts = { taken: 0, refused: 0 };
  try {
    database.exec('pragma trusted_schema = off');
    if (!hasTable(database, table)) return counts;
    const read = `select app, hash, case when length(bytes) <= ${largestMapBytes} then bytes end as bytes from ${table}`;
    const folders = new Set<string>();
    for (const row of database.prepare(read).iterate()) {
      const name = readName(row);
      const packed = row['bytes'];
      if (!name || !(packed instanceof Uint8Array) || !isMap(name, packed)) {
        counts.refused += 1;
        continue;
      }
      const to = mapFileIn(data, name);
      if (!existsSync(to)) writeMap(to, packed);
      folders.add(path.dirname(to));
      counts.taken += 1;
    }
    for (const folder of folders) syncFolder(folder);
    database.exec(`drop table ${table}; pragma incremental_vacuum`);
    return counts;
  } finally {
    database.close();
  }
}
