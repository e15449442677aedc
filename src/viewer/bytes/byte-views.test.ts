import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { decodeFlight } from '#flight';

import type { ByteViewId, MapNode } from './byte-views.ts';
import { performUnderstandTask } from '../understand-task.ts';

function understand(bytes: Uint8Array) {
  return performUnderstandTask({ flight: decodeFlight(bytes), chunks: [], sources: new Map() });
}

function readFixture(name: string): Uint8Array {
  return readFileSync(new URL(`../../../packages/flight/fixtures/${name}.flight`, import.meta.url));
}

function expectSums(node: MapNode): void {
  if (node.children.length === 0) return;
  expect(
    node.children.reduce((sum, { bytes }) => sum + bytes, 0),
    node.name,
  ).toBe(node.bytes);
  for (const child of node.children) expectSums(child);
}

const views: readonly ByteViewId[] = ['nesting', 'elements', 'kinds', 'rows'];
const files = [
  'react-19.3.1-production/bigtree',
  'react-19.3.1-production/client-refs',
  'react-19.3.1-production/suspense',
  'react-19.3.1-production/values',
  'react-19.3.1-production/binary',
  'waku-1.0.0-rc.1-production/home-rsc',
];

test.each(files)('the parts of %s add up to its bytes in every view', (file) => {
  const bytes = readFixture(file);
  const understood = understand(bytes);
  for (const view of views) {
    expect(understood.views[view].bytes).toBe(bytes.length);
    expectSums(understood.views[view]);
  }
});

test('a list of more rows than a map can show has one part for the rest, which says how many', () => {
  const rows = Array.from({ length: 400 }, (_, index) => `${(index + 1).toString(16)}:"text ${index}"\n`);
  const { views: seen } = understand(new TextEncoder().encode(`${rows.join('')}0:"root"\n`));
  const [models] = seen.rows.children;
  expect(models?.name).toBe('model × 401');
  expect(models?.children).toHaveLength(150);
  expect(models?.children.at(-1)?.name).toBe('252 more');
  expectSums(seen.rows);
});

test('an element that came late stands where it is used, without its row and reference around it', () => {
  const payload = '0:["$","main",null,{"children":"$L2"}]\n2:["$","p",null,{"children":"late and long enough"}]\n';
  const { views: seen } = understand(new TextEncoder().encode(payload));
  const [main] = seen.nesting.children;
  expect(main?.name).toBe('<main>');
  expect(main?.children.map(({ name }) => name)).toContain('<p>');
});
