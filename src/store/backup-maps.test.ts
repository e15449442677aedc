import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { addMaps, isMapName, mapFileIn, type MapName } from './backup-maps.ts';
import { copyDatabase } from './copy-database.ts';
import { openStore } from './open-store.ts';
import { restoreDatabase } from './restore-database.ts';

let folder: string;
let data: string;
let backup: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-backup-'));
  data = path.join(folder, 'data');
  backup = path.join(folder, 'backup.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** As an upload leaves it. */
async function upload(name: MapName, content: Uint8Array): Promise<void> {
  const store = await openStore(data);
  const { app, hash } = name;
  const bundle = { id: hash, app, release: 'v1', dist: '', checksum: hash, created: 1, last_used: 1 };
  await store.db.insertInto('map_bundle').values(bundle).execute();
  const file = {
    bundle: hash,
    app,
    release: 'v1',
    url: '~/app.js',
    debug_id: null,
    hash,
    bytes: content.length,
    created: 1,
  };
  await store.db.insertInto('map_file').values(file).execute();
  await store.close();
  mkdirSync(path.dirname(mapFileIn(data, name)), { recursive: true });
  writeFileSync(mapFileIn(data, name), content);
}

function toMap(app: string, text: string): { readonly name: MapName; readonly packed: Buffer } {
  const json = JSON.stringify({ version: 3, mappings: '', sources: [text] });
  return { name: { app, hash: createHash('sha256').update(json).digest('hex') }, packed: zstdCompressSync(json) };
}

async function backUp(): Promise<void> {
  await copyDatabase(path.join(data, 'flight.db'), backup, (copy) => addMaps(copy, data));
}

function change(text: string, ...values: (string | Uint8Array)[]): void {
  const database = new DatabaseSync(backup);
  database.prepare(text).run(...values);
  database.close();
}

it('holds the maps of all apps in one file, and brings them back', async () => {
  const [one, other] = [toMap('shop', 'cart.ts'), toMap('docs', 'page.ts')];
  await upload(one.name, one.packed);
  await upload(other.name, other.packed);
  await backUp();
  expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'data']);
  rmSync(path.join(data, 'source-maps'), { recursive: true });
  expect((await restoreDatabase(data, backup)).maps).toEqual({ taken: 2, refused: 0 });
  for (const { name, packed } of [one, other]) expect(readFileSync(mapFileIn(data, name))).toEqual(packed);
  expect(statSync(mapFileIn(data, one.name)).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(mapFileIn(data, one.name))).mode & 0o777).toBe(0o700);
  // The table is a backup's alone, and the database has no pages left of it.
  const restored = new DatabaseSync(path.join(data, 'flight.db'), { readOnly: true });
  expect(restored.prepare("select name from sqlite_schema where name like 'backup%'").all()).toEqual([]);
  expect(restored.prepare('pragma freelist_count').get()).toEqual({ freelist_count: 0 });
  restored.close();
});

it('leaves out a map whose file is gone, and keeps one that is there', async () => {
  const [one, gone] = [toMap('shop', 'cart.ts'), toMap('shop', 'gone.ts')];
  await upload(one.name, one.packed);
  await upload(gone.name, gone.packed);
  rmSync(mapFileIn(data, gone.name));
  await backUp();
  writeFileSync(mapFileIn(data, one.name), 'as it was');
  expect((await restoreDatabase(data, backup)).maps).toEqual({ taken: 1, refused: 0 });
  expect(readFileSync(mapFileIn(data, one.name), 'utf8')).toBe('as it was');
  expect(existsSync(mapFileIn(data, gone.name))).toBe(false);
});

it('writes nothing outside of the folder, and nothing that is not what its name says', async () => {
  const one = toMap('shop', 'cart.ts');
  await upload(one.name, one.packed);
  await backUp();
  const { hash } = one.name;
  const insert = 'insert into backup_map (app, hash, bytes) values (?, ?, ?)';
  const hostile = [
    ['../../outside', hash],
    ['..', hash],
    ['', hash],
    ['/tmp', hash],
    ['shop', '../../../outside'],
    ['shop', hash.toUpperCase()],
    ['shop\0', hash],
    ['other', hash.replaceAll(/[a-f]/g, '0')],
  ] as const;
  for (const [app, name] of hostile) change(insert, app, name, one.packed);
  const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
  const named = createHash('sha256')
    .update(Buffer.alloc(64 * 1024 * 1024))
    .digest('hex');
  change(insert, 'other', named, bomb);
  change(insert, 'other', hash, one.packed.subarray(0, -4));
  change(insert, 'other', hash, 'a text');
  rmSync(path.join(data, 'source-maps'), { recursive: true });
  expect((await restoreDatabase(data, backup)).maps).toEqual({ taken: 1, refused: hostile.length + 3 });
  expect(readdirSync(path.join(data, 'source-maps'))).toEqual(['shop']);
  expect(readdirSync(path.join(data, 'source-maps', 'shop'))).toEqual([hash]);
  expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'data']);
});

it('knows the names that maps have', () => {
  const hash = 'a'.repeat(64);
  expect(['shop', 'flight-recorder', 'a2'].every((app) => isMapName({ app, hash }))).toBe(true);
  expect(['.', '..', 'a/b', 'A', '-', 'a'.repeat(41)].some((app) => isMapName({ app, hash }))).toBe(false);
  const others = ['..', `${hash}.part`, hash.slice(1)];
  expect(others.some((other) => isMapName({ app: 'shop', hash: other }))).toBe(false);
});
