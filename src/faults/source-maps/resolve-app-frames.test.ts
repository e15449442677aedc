import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { endMapThread } from './ask-maps.ts';
import { keepAppMaps } from './keep-app-maps.ts';
import { resolveAppFrames } from './resolve-app-frames.ts';
import { callAt, exampleMap, throwAt } from './thread/testing/pack-map.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-frames-'));
  process.env['FLIGHT_DATA'] = path.join(folder, 'data');
  store = await openStore();
});

afterEach(async () => {
  endMapThread();
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

let releases = 0;

/** Two frames of one script, the innermost first. */
async function resolve(map: object, fn: string): Promise<readonly SourceFrame[]> {
  releases += 1;
  const release = String(releases);
  const maps = path.join(folder, release);
  mkdirSync(maps, { recursive: true });
  writeFileSync(path.join(maps, 'a.js.map'), JSON.stringify({ ...exampleMap, ...map }));
  await keepAppMaps('shop', { release, maps });
  const file = 'https://shop.example/a.js';
  const frames = [
    { fn, file, ...throwAt },
    { fn: 'c', file, ...callAt },
  ];
  return resolveAppFrames('shop', release, frames);
}

const withoutSources = { sourcesContent: [null] };

it('names a function by its source', async () => {
  const frames = await resolve({}, 'x');
  expect(frames.map(({ fn }) => fn)).toEqual(['fail', '']);
  const [named] = await resolve({}, 'Minified.name');
  expect(named).toMatchObject({ fn: 'fail' });
});

it('goes by what the app’s own caller calls where a map has no sources', async () => {
  expect((await resolve(withoutSources, 'x'))[0]?.fn).toBe('fail');
  const ofReact = { ...withoutSources, sources: ['../node_modules/react/index.js'] };
  const [frame] = await resolve(ofReact, 'x');
  expect(frame).toMatchObject({ fn: '', inApp: false });
});

it('takes no class of the minifier’s for a name', async () => {
  expect((await resolve(withoutSources, 'g.total'))[0]?.fn).toBe('total');
  expect((await resolve(withoutSources, 'Cart.total'))[0]?.fn).toBe('Cart.total');
});
