import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import type { MapPlace } from './messages.ts';
import { openMap } from './open-map.ts';
import { exampleMap } from './testing/pack-map.ts';
import { storeMap } from './store-map.ts';

function createPlaces(megabytes: readonly number[]): MapPlace[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return megabytes.map((size, index) => {
    const content = `${index}${'x'.repeat(size * 1024 * 1024)}`;
    const { hash } = storeMap(folder, Buffer.from(JSON.stringify({ ...exampleMap, sourcesContent: [content] })));
    return { type: 'stored', file: path.join(folder, hash) };
  });
}

/** It has nothing to read any more: who finds the map has it in memory. */
function isKept(place: MapPlace): boolean {
  rmSync(place.file, { force: true });
  return openMap(place) !== undefined;
}

it('keeps the maps that were used last, within a budget', () => {
  const places = createPlaces([12, 12, 1, 12]);
  const [first, second, small] = places;
  if (!first || !second || !small) throw new Error('three places were made');
  for (const place of places.slice(0, 3)) openMap(place);
  // Used again: the second is now the one that was used least recently.
  openMap(first);
  for (const place of places.slice(3)) openMap(place);
  expect([first, second, small].map(isKept)).toEqual([true, false, true]);
});

it('counts names as what they take, however short they are', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const places = [0, 1, 2].map((index): MapPlace => {
    const names = Array.from({ length: 400_000 }, (_, at) => `n${index}${at}`);
    const { hash } = storeMap(folder, Buffer.from(JSON.stringify({ ...exampleMap, names })));
    return { type: 'stored', file: path.join(folder, hash) };
  });
  // As text each has 4 MB.
  for (const place of places) openMap(place);
  expect(places.map(isKept)).toEqual([false, true, true]);
});

it('reads no map that unpacks to more than 20 MiB', () => {
  const [large, allowed] = createPlaces([21, 19]);
  if (!large || !allowed) throw new Error('two places were made');
  expect(openMap(large)).toBeUndefined();
  expect(openMap(allowed)).toBeDefined();
});
