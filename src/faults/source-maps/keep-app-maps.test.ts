import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { endMapThread } from './ask-maps.ts';
import { areMapsKept, keepAppMaps } from './keep-app-maps.ts';
import { resolveAppFrames } from './resolve-app-frames.ts';
import { exampleMap, throwAt } from './thread/testing/pack-map.ts';

let folder: string;
let store: Store;
let logged: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-app-maps-'));
  process.env['FLIGHT_DATA'] = path.join(folder, 'data');
  store = await openStore();
  logged = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => logged.push(String(line)) > 0);
});

afterEach(async () => {
  endMapThread();
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

/** An app's folder of maps, with that of one script, made of `src/app.ts`. */
function build(root: string, script: string, content: string): string {
  const maps = path.join(folder, root, 'dist/maps');
  mkdirSync(path.join(maps, 'assets'), { recursive: true });
  const map = { ...exampleMap, sources: ['../../../src/app.ts'], sourcesContent: [content] };
  writeFileSync(path.join(maps, 'assets', `${script}.js.map`), JSON.stringify(map));
  return maps;
}

async function resolve(app: string, release: string, file: string): Promise<unknown> {
  const [frame] = await resolveAppFrames(app, release, [{ fn: 'a', file, ...throwAt }]);
  return frame;
}

async function countBundles(app: string): Promise<number> {
  const rows = await store.db.selectFrom('map_bundle').select('id').where('app', '=', app).execute();
  return rows.length;
}

it('resolves frames of an app’s builds, below its base path, when the next build has replaced the files', async () => {
  const maps = build('shop', 'click-1', 'one\n  of the first\n');
  await keepAppMaps('shop', { release: 'first', maps });
  rmSync(maps, { recursive: true });
  await keepAppMaps('shop', { release: 'second', maps: build('shop', 'click-2', 'one\n  of the second\n') });
  const frame = { source: 'src/app.ts', line: 2, column: 3, inApp: true };
  const first = { firstLine: 1, lines: ['one', '  of the first', ''] };
  expect(await resolve('shop', 'first', '/assets/click-1.js')).toMatchObject({ ...frame, context: first });
  expect(await resolve('shop', 'first', 'https://shop.example/shop/assets/click-1.js')).toMatchObject(frame);
  const second = { firstLine: 1, lines: ['one', '  of the second', ''] };
  expect(await resolve('shop', 'second', '/shop/assets/click-2.js')).toMatchObject({ ...frame, context: second });
  expect(await resolve('other', 'first', '/assets/click-1.js')).not.toHaveProperty('source');
  expect([areMapsKept('shop'), areMapsKept('other'), logged]).toEqual([true, false, []]);
});

it('keeps a build once, and again when other scripts have its name', async () => {
  const maps = build('twice', 'page-1', 'one\n  two\n');
  await keepAppMaps('twice', { release: 'same', maps });
  await keepAppMaps('twice', { release: 'same', maps });
  // Another process, in a copy of the folder.
  await keepAppMaps('twice', { release: 'same', maps: build('copy', 'page-1', 'one\n  two\n') });
  expect(await countBundles('twice')).toBe(1);
  await keepAppMaps('twice', { release: 'same', maps: build('changed', 'page-2', 'one\n  two\n') });
  expect(await countBundles('twice')).toBe(2);
});

it('says nothing of an app that left no maps, and follows no link', async () => {
  await keepAppMaps('plain', { release: 'a', maps: path.join(folder, 'plain/dist/maps') });
  const maps = path.join(folder, 'linked/dist/maps');
  mkdirSync(maps, { recursive: true });
  symlinkSync(build('secret', 'click', ''), path.join(maps, 'assets'));
  symlinkSync(path.join(folder, 'secret/dist/maps/assets/click.js.map'), path.join(maps, 'click.js.map'));
  await keepAppMaps('linked', { release: 'a', maps });
  expect([areMapsKept('plain'), areMapsKept('linked'), await countBundles('linked')]).toEqual([false, false, 0]);
  expect(logged).toEqual([]);
});

it('logs one line for a folder that is none', async () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  await keepAppMaps('filed', { release: 'a', maps: file });
  await keepAppMaps('filed', { release: 'a', maps: file });
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('source-maps-not-kept');
  expect(areMapsKept('filed')).toBe(false);
});
