import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { endMapThread } from './ask-maps.ts';
import { keepOwnMaps } from './keep-own-maps.ts';
import { resolveAppFrames } from './resolve-app-frames.ts';
import { exampleMap, throwAt } from './thread/testing/pack-map.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-own-maps-'));
  process.env['FLIGHT_DATA'] = path.join(folder, 'data');
  store = await openStore();
});

afterEach(async () => {
  endMapThread();
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A build's folder, with the map of one script: `src/app.ts`, as it is seen from `dist/maps/assets`. */
function build(name: string, content: string): string {
  const root = path.join(folder, name);
  const maps = path.join(root, 'dist/maps/assets');
  mkdirSync(maps, { recursive: true });
  const source = '../../../src/app.ts';
  const map = { ...exampleMap, sources: [source], sourcesContent: [content] };
  writeFileSync(path.join(maps, `${name}.js.map`), JSON.stringify(map));
  return root;
}

function keep(name: string, content = 'function fail() {\n  two\n}\n'): Promise<void> {
  return keepOwnMaps(store, name, build(name, content), Date.now());
}

async function resolve(script: string, release: string): Promise<unknown> {
  const [frame] = await resolveAppFrames(ownApp, release, [{ fn: 'a', file: `/assets/${script}.js`, ...throwAt }]);
  return frame;
}

it('resolves a frame of an earlier build, with the names of its functions', async () => {
  await keep('first');
  await keep('second');
  rmSync(path.join(folder, 'first'), { recursive: true });
  const frame = { fn: 'fail', source: 'src/app.ts', line: 2, column: 3, inApp: true };
  expect(await resolve('first', 'first')).toMatchObject({
    ...frame,
    context: { firstLine: 1, lines: ['function fail() {', '  two', '}', ''] },
  });
  // The name has the hash of the content: a build that is not named has the same.
  expect(await resolve('first', '')).toMatchObject(frame);
});

it('takes the map of the build that is named where two have the script', async () => {
  await keep('same', 'one\n  of the first\n');
  await keepOwnMaps(store, 'other', build('same', 'one\n  of the other\n'), Date.now());
  // Both folders have one name here: the second build has overwritten the first, which was kept.
  expect(await resolve('same', 'same')).toMatchObject({ context: { lines: ['one', '  of the first', ''] } });
});

it('keeps a build once, and nothing in development', async () => {
  await keep('first');
  await keep('first');
  await keepOwnMaps(store, '', build('dev', ''), Date.now());
  const bundles = await store.db.selectFrom('map_bundle').select(['app', 'release']).execute();
  expect(bundles).toEqual([{ app: ownApp, release: 'first' }]);
});

it('says that a script of a build that is forgotten is none of the code', async () => {
  expect(await resolve('gone', 'gone')).toEqual({ fn: 'a', file: '/assets/gone.js', ...throwAt, inApp: false });
});

it('deletes the folder of an app that is not there', async () => {
  mkdirSync(path.join(folder, 'data/source-maps/gone/chunks'), { recursive: true });
  await keep('first');
  expect(readdirSync(path.join(folder, 'data/source-maps'))).toEqual([ownApp]);
});
