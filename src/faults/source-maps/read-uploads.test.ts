import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { appMapsFolder } from '#src/store/maps-folder.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { deleteUploads } from './delete-uploads.ts';
import { readUploads } from './read-uploads.ts';
import { storeMaps } from './store-maps.ts';

/** Who may ask is tested by src/faults/kept/queries-guard.test.ts. */
useOperator();

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-uploads-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore();
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Each script has a map of its own, of 100 bytes, but for those whose names begin with `same`. */
async function add(release: string, created: number, scripts: readonly string[], app = 'shop'): Promise<void> {
  const maps = scripts.map((script) => {
    return { url: `~/${script}`, debugId: undefined, hash: script.startsWith('same') ? 'same' : script, bytes: 100 };
  });
  mkdirSync(appMapsFolder(app), { recursive: true });
  for (const { hash } of maps) writeFileSync(path.join(appMapsFolder(app), hash), '');
  const id = await storeMaps(store, { app, release, dist: '', checksum: String(created) }, maps);
  await store.db.updateTable('map_bundle').set({ created }).where('id', '=', id).execute();
}

it('says what was uploaded for each release, the latest first', async () => {
  await add('1.0', 1, ['a.js', 'b.js']);
  await add('', 2, ['c.js']);
  await add('1.0', 3, ['b.js', 'same-1.js', 'same-2.js']);
  await add('1.0', 4, ['z.js'], 'other');
  expect(await readUploads('shop')).toEqual({
    releases: [
      { release: '1.0', uploadedAt: 3, scripts: 4, bytes: 300 },
      { release: '', uploadedAt: 2, scripts: 1, bytes: 100 },
    ],
    more: 0,
  });
  expect(await readUploads('third')).toEqual({ releases: [], more: 0 });
});

it('lists the latest twenty, and counts the others', async () => {
  for (let release = 1; release <= 23; release += 1) await add(`v${release}`, release, ['a.js']);
  const { releases, more } = await readUploads('shop');
  expect([releases.length, releases[0]?.release, more]).toEqual([20, 'v23', 3]);
});

it('deletes one release, also the one without a name, or all', async () => {
  for (const [index, release] of ['', '1', '2'].entries()) await add(release, index, ['a.js']);
  await deleteUploads('shop', '');
  expect((await readUploads('shop')).releases.map(({ release }) => release)).toEqual(['2', '1']);
  await deleteUploads('shop', undefined);
  expect((await readUploads('shop')).releases).toEqual([]);
});
