import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { addApp } from '#src/apps/apps.ts';
import { deleteApp } from '#src/apps/delete-app.ts';
import { appMapsFolder, mapsFolder } from '#src/store/maps-folder.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { endMapThread } from './ask-maps.ts';
import { assembleBundle } from './assemble-bundle.ts';
import { deleteMaps } from './evict-maps.ts';
import { forgetFoundMaps } from './find-maps.ts';
import { keepChunk, listMissing } from './keep-chunks.ts';
import { bringMap, mapFile, sweepContents } from './keep-in-database.ts';
import { uploadLimits } from './limits.ts';
import { resolveAppFrames } from './resolve-app-frames.ts';
import { storeMaps } from './store-maps.ts';
import { callAt, exampleMap, packBundle, sha1, throwAt } from './thread/testing/pack-map.ts';
import { storeMap } from './thread/store-map.ts';

/** A bundle of a test is small: 128 MiB would take seconds. */
vi.mock('./limits.ts', async (load) => {
  const { uploadLimits: real } = await load<{ uploadLimits: object }>();
  return { uploadLimits: { ...real, waitingBytes: 100_000 } };
});

/** Maps where several machines share a database and no folder. */

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-shared-maps-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore();
  await addApp('Shop');
});

afterEach(async () => {
  endMapThread();
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A machine that was started a moment ago: nothing in its folder, nothing in its memory. */
function becomeAnotherMachine(): void {
  endMapThread();
  forgetFoundMaps();
  rmSync(mapsFolder(), { recursive: true, force: true });
}

function nameBundle(release: string, bytes: Buffer) {
  return { app: 'shop', release, dist: '', checksum: sha1(bytes), chunks: [sha1(bytes)] };
}

async function resolve(release: string, script: string): Promise<unknown> {
  const frames = [throwAt, callAt].map((place) => ({ fn: 'a', file: `https://shop.example/${script}.js`, ...place }));
  return (await resolveAppFrames('shop', release, frames))[0];
}

/** A stored map, as the thread leaves it: incompressible, so that it has several parts. */
function writeMap(release: string, bytes = 10): { readonly hash: string; readonly bytes: number } {
  mkdirSync(appMapsFolder('shop'), { recursive: true });
  const content = `${release} ${randomBytes(bytes).toString('hex')}`;
  return storeMap(appMapsFolder('shop'), Buffer.from(JSON.stringify({ ...exampleMap, sourcesContent: [content] })));
}

async function store1(release: string, map: { readonly hash: string; readonly bytes: number }): Promise<string> {
  const bundle = { app: 'shop', release, dist: '', checksum: release };
  return storeMaps(store, bundle, [{ url: `~/${release}.js`, debugId: undefined, ...map }]);
}

async function listContents(): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('map_content').select('hash').distinct().orderBy('hash').execute();
  return rows.map(({ hash }) => hash);
}

describe('maps in the database', () => {
  it('are resolved by a machine that did not get the upload, which has one request for each chunk', async () => {
    const bundle = packBundle([{ url: '~/app.js', map: exampleMap }]);
    expect(await keepChunk('shop', sha1(bundle), bundle)).toBe('kept');
    becomeAnotherMachine();
    expect(await listMissing('shop', [sha1(bundle)])).toEqual([]);
    expect(await assembleBundle(nameBundle('1', bundle))).toEqual({ state: 'ok' });
    expect(await listMissing('shop', [sha1(bundle)])).toEqual([sha1(bundle)]);
    expect(readdirSync(path.join(appMapsFolder('shop'), 'chunks'))).toEqual([]);
    becomeAnotherMachine();
    expect(await resolve('1', 'app')).toMatchObject({ fn: 'fail', source: 'src/app.ts', line: 2 });
    expect(readdirSync(appMapsFolder('shop'))).toEqual(await listContents());
  });

  it('come whole, also in several parts, and once for all who ask at the same time', async () => {
    const map = writeMap('large', 2_000_000);
    expect(map.bytes).toBeGreaterThan(3 * 512 * 1024);
    const file = mapFile('shop', map.hash);
    const written = readFileSync(file);
    await store1('large', map);
    becomeAnotherMachine();
    expect(await Promise.all([bringMap(store.db, file), bringMap(store.db, file)])).toEqual([true, true]);
    expect(readFileSync(file).equals(written)).toBe(true);
    expect(readdirSync(appMapsFolder('shop'))).toEqual([map.hash]);
  });

  it('are nowhere when a part is missing, and no half of a file is left', async () => {
    const map = writeMap('large', 2_000_000);
    await store1('large', map);
    await store.db.deleteFrom('map_content').where('part', '=', 2).execute();
    becomeAnotherMachine();
    expect(await bringMap(store.db, mapFile('shop', map.hash))).toBe(false);
    expect(readdirSync(appMapsFolder('shop'))).toEqual([]);
  });

  it('of which an upload wrote some parts are completed by the next', async () => {
    const map = writeMap('large', 2_000_000);
    const id = await store1('first', map);
    await store.db.deleteFrom('map_bundle').where('id', '=', id).execute();
    await store.db.deleteFrom('map_content').where('part', '=', 0).execute();
    await store1('second', map);
    becomeAnotherMachine();
    expect(await bringMap(store.db, mapFile('shop', map.hash))).toBe(true);
  });

  it('are deleted with the last bundle that names them', async () => {
    const [one, both] = [writeMap('one'), writeMap('both')];
    await store1('1', one);
    await store1('2', both);
    await store1('3', both);
    await deleteMaps(store, 'shop', '2');
    expect(await listContents()).toEqual([one.hash, both.hash].toSorted());
    await deleteMaps(store, 'shop');
    expect(await listContents()).toEqual([]);
  });

  it('are stored once when two machines store the same bundle', async () => {
    const map = writeMap('same');
    const [first, second] = await Promise.all([store1('same', map), store1('same', map)]);
    expect(first).toBe(second);
    expect(await store.db.selectFrom('map_file').select('hash').execute()).toEqual([{ hash: map.hash }]);
  });

  it('of an upload that did not end go after an hour, and not while it may still end', async () => {
    const map = writeMap('left', 1_000_000);
    const id = await store1('left', map);
    await store.db.deleteFrom('map_bundle').where('id', '=', id).execute();
    await sweepContents(store.db);
    expect(await listContents()).toEqual([map.hash]);
    // The same map is uploaded again: all of its parts are kept from now on.
    await store.db.updateTable('map_content').set({ created: 1 }).execute();
    const again = await store1('again', map);
    await sweepContents(store.db, Date.now() + 2 * 3_600_000);
    expect(await bringMap(store.db, mapFile('shop', map.hash))).toBe(true);
    await store.db.deleteFrom('map_bundle').where('id', '=', again).execute();
    await sweepContents(store.db, Date.now() + 30 * 60_000);
    expect(await listContents()).toEqual([map.hash]);
    await sweepContents(store.db, Date.now() + 2 * 3_600_000);
    expect(await listContents()).toEqual([]);
  });

  it('go with their app, and so do the chunks', async () => {
    await store1('1', writeMap('one'));
    await keepChunk('shop', sha1(Buffer.from('x')), Buffer.from('x'));
    const running: Promise<void>[] = [];
    await deleteApp(
      'shop',
      async () => undefined,
      (done) => running.push(done),
    );
    await Promise.all(running);
    expect(await listContents()).toEqual([]);
    expect(await store.db.selectFrom('map_chunk').select('id').execute()).toEqual([]);
  });
});

describe('chunks in the database', () => {
  /** What waits is counted each ten seconds. */
  function passSeconds(): void {
    vi.setSystemTime(Date.now() + 10_000);
  }

  it('are no more than may wait, and those that nobody came for go after an hour', async () => {
    const [one, two] = [Buffer.from('one'), Buffer.from('two')];
    await keepChunk('shop', sha1(one), one);
    await store.db
      .updateTable('map_chunk')
      .set({ bytes: Buffer.alloc(uploadLimits.waitingBytes - 2) })
      .execute();
    passSeconds();
    expect(await keepChunk('shop', sha1(two), two)).toBe('too-many');
    expect(await keepChunk('other', sha1(two), two)).toBe('kept');
    await store.db
      .updateTable('map_chunk')
      .set({ received_at: Date.now() - 3_700_000 })
      .execute();
    passSeconds();
    expect(await keepChunk('shop', sha1(two), two)).toBe('kept');
    vi.useRealTimers();
    expect(await listMissing('shop', [sha1(one), sha1(two)])).toEqual([sha1(one)]);
  });
});
