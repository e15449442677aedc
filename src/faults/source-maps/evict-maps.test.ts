import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { appMapsFolder } from '#src/store/maps-folder.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { buildsKept, deleteMaps, evictMaps } from './evict-maps.ts';
import { uploadLimits } from './limits.ts';
import { storeMaps } from './store-maps.ts';

const mebibyte = 1024 * 1024;
const dayMs = 24 * 3600 * 1000;

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-evict-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore();
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  delete process.env['SOURCE_MAPS_MIB'];
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A bundle with one map, whose file has the map's name. */
async function add(
  app: string,
  release: string,
  map: string,
  { used = Date.now(), bytes = mebibyte - 1_000 } = {},
): Promise<string> {
  mkdirSync(appMapsFolder(app), { recursive: true });
  writeFileSync(path.join(appMapsFolder(app), map), '');
  const bundle = { app, release, dist: '', checksum: `${release}${map}` };
  const id = await storeMaps(store, bundle, [{ url: `~/${map}.js`, debugId: undefined, hash: map, bytes }]);
  await store.db.updateTable('map_bundle').set({ last_used: used, created: used }).where('id', '=', id).execute();
  return id;
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

function filesOf(app: string): string[] {
  return existsSync(appMapsFolder(app)) ? readdirSync(appMapsFolder(app)).toSorted() : [];
}

describe('evictMaps', () => {
  it('keeps the latest builds of this server', async () => {
    for (const build of countTo(buildsKept + 2)) await add(ownApp, `b${build}`, `m${build}`, { used: build });
    expect(await evictMaps(store)).toBe(2);
    expect(filesOf(ownApp)).toEqual(['m3', 'm4', 'm5', 'm6', 'm7']);
  });

  it('keeps a file that another bundle names too', async () => {
    for (const build of countTo(buildsKept + 1)) await add(ownApp, `b${build}`, 'same', { used: build });
    expect(await evictMaps(store)).toBe(1);
    expect(filesOf(ownApp)).toEqual(['same']);
  });

  it('deletes what was not used for 90 days, by the clock that it is given', async () => {
    const now = Date.now();
    await add('shop', '1', 'old', { used: now - 91 * dayMs });
    await add('shop', '2', 'new', { used: now - 89 * dayMs });
    expect(await evictMaps(store)).toBe(0);
    expect(await evictMaps(store, { age: now - 2 * dayMs })).toBe(0);
    expect(await evictMaps(store, { age: now })).toBe(1);
    expect(filesOf('shop')).toEqual(['new']);
  });

  it('makes room by what was used least, of the app that has most', async () => {
    process.env['SOURCE_MAPS_MIB'] = '4';
    await add('small', '1', 's', { used: 1 });
    for (const release of countTo(4)) await add('large', `${release}`, `l${release}`, { used: 10 + release });
    expect(await evictMaps(store)).toBe(1);
    expect([filesOf('small'), filesOf('large')]).toEqual([['s'], ['l2', 'l3', 'l4']]);
  });

  it('keeps the bundle that came just now, however large it is, where no other app has one', async () => {
    process.env['SOURCE_MAPS_MIB'] = '2';
    await add('shop', '1', 'before', { used: 2 });
    const latest = await add('shop', '2', 'huge', { used: 1, bytes: 3 * mebibyte });
    expect(await evictMaps(store, { latest })).toBe(1);
    expect(filesOf('shop')).toEqual(['huge']);
  });

  it('keeps what others have beside one that came just now and is larger', async () => {
    process.env['SOURCE_MAPS_MIB'] = '2';
    await add('shop', '1', 'before', { used: 2 });
    const latest = await add('flood', '1', 'huge', { used: 1, bytes: 3 * mebibyte });
    expect(await evictMaps(store, { latest })).toBe(1);
    expect([filesOf('shop'), filesOf('flood')]).toEqual([['before'], []]);
  });

  it('counts a file of two bundles once', async () => {
    process.env['SOURCE_MAPS_MIB'] = '1';
    await add('shop', '1', 'same');
    await add('shop', '2', 'same');
    expect(await evictMaps(store)).toBe(0);
  });

  it('gives rows that name files a share of the database, whatever the files take', async () => {
    await add('shop', 'r1', 'm1', { bytes: 1_000 });
    const bundle = { app: 'flood', release: 'r1', dist: '', checksum: 'c' };
    const file = { debugId: undefined, hash: 'one', bytes: 1_000 };
    mkdirSync(appMapsFolder('flood'), { recursive: true });
    writeFileSync(path.join(appMapsFolder('flood'), 'one'), '');
    await storeMaps(
      store,
      bundle,
      countTo(2_000).map((n) => ({ ...file, url: `~/${n}${'x'.repeat(900)}` })),
    );
    expect(await evictMaps({ ...store, limitBytes: 64 * mebibyte })).toBe(1);
    expect([filesOf('shop'), filesOf('flood')]).toEqual([['m1'], []]);
  });

  it('sweeps what an interrupted upload left', async () => {
    await add('shop', '1', 'kept');
    const left = path.join(appMapsFolder('shop'), 'x.part');
    writeFileSync(left, '');
    await evictMaps(store);
    // Another process may be writing it.
    expect(filesOf('shop')).toEqual(['kept', 'x.part']);
    const anHourAgo = new Date(Date.now() - uploadLimits.waitingMs - 60_000);
    utimesSync(left, anHourAgo, anHourAgo);
    await evictMaps(store);
    expect(filesOf('shop')).toEqual(['kept']);
  });
});

describe('storeMaps', () => {
  const bundle = { app: 'shop', release: '1', dist: '', checksum: '1' };
  const map = { url: '~/a.js', debugId: undefined, hash: 'gone', bytes: 1 };

  it('stores nothing when a map was deleted meanwhile', async () => {
    await expect(storeMaps(store, bundle, [map])).rejects.toThrow(/deleted while it was stored|no such file/);
    expect(await store.db.selectFrom('map_bundle').select('id').execute()).toEqual([]);
  });

  it('finds the bundle that another process stored first', async () => {
    const id = await add('shop', '1', 'a');
    const again = await storeMaps(store, { ...bundle, checksum: '1a' }, [{ ...map, hash: 'a' }]);
    expect(again).toBe(id);
  });
});

describe('deleteMaps', () => {
  it('deletes one release of an app, or all', async () => {
    for (const release of ['1', '2', '3']) await add('shop', release, `m${release}`);
    await add('other', '1', 'm1');
    await deleteMaps(store, 'shop', '2');
    expect(filesOf('shop')).toEqual(['m1', 'm3']);
    await deleteMaps(store, 'shop');
    expect([filesOf('shop'), filesOf('other')]).toEqual([[], ['m1']]);
  });
});
