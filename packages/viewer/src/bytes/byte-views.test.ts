import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { decodeFlight } from '#flight';

import type { ByteViewId } from './byte-views.ts';
import type { MapNode } from './map-node.ts';
import { createMapOpener } from './open-map-node.ts';
import { performUnderstandTask } from '../understand-task.ts';

function understand(bytes: Uint8Array) {
  return performUnderstandTask({ flight: decodeFlight(bytes), chunks: [] });
}

function readFixture(name: string): Uint8Array {
  return readFileSync(new URL(`../../../flight/fixtures/${name}.flight`, import.meta.url));
}

function expectSums(node: MapNode): void {
  if (node.children.length === 0) return;
  expect(
    node.children.reduce((sum, { bytes }) => sum + bytes, 0),
    node.name,
  ).toBe(node.bytes);
  for (const child of node.children) expectSums(child);
}

const views: readonly ByteViewId[] = ['nesting', 'names', 'kinds', 'rows'];
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

/** Every leaf of a view, with whatever can be opened opened. */
function openAll(bytes: Uint8Array, view: ByteViewId): MapNode[] {
  const { views: seen, sums } = understand(bytes);
  const { open } = createMapOpener(decodeFlight(bytes), sums);
  const leaves: MapNode[] = [];
  function visit(node: MapNode): void {
    const opened = open(node);
    expect(opened.bytes).toBe(node.bytes);
    expect(opened.inside).toBeUndefined();
    if (opened.children.length === 0) leaves.push(opened);
    for (const child of opened.children) visit(child);
  }
  visit(seen[view]);
  expect(leaves.reduce((sum, { bytes: own }) => sum + own, 0)).toBe(bytes.length);
  return leaves;
}

test('a list of more rows than a map can show has one part for the rest, which says how many and opens', () => {
  const rows = Array.from({ length: 400 }, (_, index) => `${(index + 1).toString(16)}:"text ${index}"\n`);
  const bytes = new TextEncoder().encode(`${rows.join('')}0:"root"\n`);
  const { views: seen } = understand(bytes);
  const [models] = seen.rows.children;
  expect(models?.name).toBe('model × 401');
  expect(models?.children).toHaveLength(150);
  expect(models?.children.at(-1)?.name).toBe('252 smaller ones');
  expectSums(seen.rows);
  const names = openAll(bytes, 'rows').map(({ name }) => name);
  expect(new Set(names).size).toBe(401);
  expect(names).toContain('190 "text 399"');
});

test('8,500 items of a list are one box, which shows what is in them, and lists them one by one', () => {
  const items = Array.from({ length: 8500 }, (_, index) => `["$","li","${index}",{"children":"item ${index}"}]`);
  const bytes = new TextEncoder().encode(`0:["$","ul",null,{"children":[${items.join(',')}]}]\n`);
  const { views: seen, sums } = understand(bytes);
  const [ul] = seen.nesting.children;
  expect(ul?.children.map(({ name }) => name)).toEqual(['<li> × 8,500', 'its own structure']);
  const [list] = ul?.children ?? [];
  expect(list?.children.map(({ name }) => name)).toEqual(['its own structure', 'text × 8,500']);
  expectSums(seen.nesting);
  const { open, unfold } = createMapOpener(decodeFlight(bytes), sums);
  const apart = list && unfold(list);
  expect(apart?.children).toHaveLength(85);
  const last = apart?.children.at(-1);
  expect(last).toMatchObject({ name: '8,401 to 8,500', bytes: expect.any(Number) });
  expect(last && open(last).children.map(({ place }) => place?.start)).toHaveLength(100);
  expect(apart && unfold(apart)).toBeUndefined();
});

test('the ranges of a long list are one kind of box, in their order, in every view', () => {
  const names = Array.from({ length: 400 }, (_, index) => `["$","a-${index}",null,{"id":"${'x'.repeat(index)}"}]`);
  const entries = Array.from({ length: 400 }, (_, index) => `"key ${index}":["${'y'.repeat(index % 50)}"]`);
  const rows = Array.from({ length: 400 }, (_, index) => `${(index + 1).toString(16)}:"text ${index}"\n`);
  const bytes = new TextEncoder().encode(`${rows.join('')}0:[{${entries.join(',')}},[${names.join(',')}]]\n`);
  const { views: seen, sums } = understand(bytes);
  const { open } = createMapOpener(decodeFlight(bytes), sums);
  function findRanges(node: MapNode): (readonly MapNode[])[] {
    const { children } = open(node);
    const inner = children.flatMap(findRanges);
    return children.some(({ isRange }) => isRange) ? [children, ...inner] : inner;
  }
  for (const view of ['nesting', 'names', 'rows'] as const) {
    const lists = findRanges(seen[view]);
    expect(lists.length, view).toBeGreaterThan(0);
    for (const ranges of lists) {
      expect(ranges.slice(0, 2).map(({ name }) => name)).toEqual(['1 to 100', '101 to 200']);
      for (const range of ranges) expect(range).toMatchObject({ what: 'group', tone: 'hint', isRange: true });
    }
  }
});

test('each kind of bytes leads to the elements that it is in', () => {
  const payload =
    '0:["$","main",null,{"className":"a b c","children":[["$","p",null,{"children":"longer text"}],"more"]}]\n';
  const { views: seen } = understand(new TextEncoder().encode(payload));
  const inside = Object.fromEntries(seen.kinds.children.map(({ name, children }) => [name, children]));
  expect(inside['class names']).toMatchObject([{ name: '<main>', bytes: '"a b c"'.length, place: { row: 0 } }]);
  expect(inside['text']?.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['<p>', '"longer text"'.length],
    ['<main>', '"more"'.length],
  ]);
});

test('an element that came late stands where it is used, without its row and reference around it', () => {
  const payload =
    '0:["$","main",null,{"title":"short of it","children":["$L2","and this"]}]\n2:["$","p",null,{"children":"late and long enough"}]\n';
  const { views: seen } = understand(new TextEncoder().encode(payload));
  const [main] = seen.nesting.children;
  expect(main?.name).toBe('<main>');
  expect(main?.children.map(({ name }) => name)).toContain('<p>');
});

test('wrappers around one thing are one box, which says all of them', () => {
  const text = 'x'.repeat(2000);
  const payload = `0:["$","html",null,{"children":["$","body",null,{"className":"body","children":["$","div",null,{"children":["$","main",null,{"id":"m","children":["${text}",["$","i",null,{"title":"a title"}]]}]}]}]}]\n`;
  const { views: seen } = understand(new TextEncoder().encode(payload));
  const [chain] = seen.nesting.children;
  expect(chain).toMatchObject({ name: '<html> › … › <main>', title: '<html> › <body> › <div> › <main>' });
  expect(chain?.children.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^"xxx/),
    'its own structure',
    '<i>',
    'beside this chain',
    'id',
  ]);
  expectSums(seen.nesting);
});
