import { expect, test } from 'vitest';

import { fitText, layoutTreemap, squarify, type Area } from './treemap-layout.ts';

type Node = { bytes: number; children: Node[]; isRange?: boolean };

function leaves(count: number, bytes: number): Node[] {
  return Array.from({ length: count }, () => ({ bytes, children: [] }));
}

const whole = { x: 0, y: 0, width: 600, height: 400 };

function overlap(a: Area, b: Area): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

test('the areas are those of the example in the paper on squarified treemaps', () => {
  const areas = squarify([6, 6, 4, 3, 2, 2, 1], { x: 0, y: 0, width: 6, height: 4 });
  expect(areas[0]).toEqual({ x: 0, y: 0, width: 3, height: 2 });
  expect(areas[1]).toEqual({ x: 0, y: 2, width: 3, height: 2 });
  expect(areas[2]?.width).toBeCloseTo(12 / 7);
  expect(areas[2]?.height).toBeCloseTo(7 / 3);
});

test('every weight has its share, inside the whole, and none lies on another', () => {
  const weights = [1, 900, 33, 0, 7, 7, 250, 61];
  const areas = squarify(weights, whole);
  const sum = weights.reduce((a, b) => a + b);
  for (const [index, area] of areas.entries()) {
    expect(area.width * area.height).toBeCloseTo(((weights[index] ?? 0) / sum) * 600 * 400, 3);
    expect(area.x + area.width).toBeLessThanOrEqual(600.001);
    expect(area.y + area.height).toBeLessThanOrEqual(400.001);
    for (const other of areas.slice(index + 1)) expect(overlap(area, other)).toBeLessThan(0.001);
  }
});

test('what has no weight or no room has no area', () => {
  expect(squarify([], whole)).toEqual([]);
  expect(squarify([0, 0], whole).every(({ width }) => width === 0)).toBe(true);
  expect(squarify([5], { x: 0, y: 0, width: 0, height: 400 })).toEqual([{ x: 0, y: 0, width: 0, height: 0 }]);
});

test('children stand inside their parent, below its name', () => {
  const root: Node = {
    bytes: 100,
    children: [
      { bytes: 80, children: [{ bytes: 50, children: [] }] },
      { bytes: 20, children: [] },
    ],
  };
  const boxes = layoutTreemap(root, { width: 600, height: 400 });
  expect(boxes.map(({ path }) => path)).toEqual([[0], [1], [0, 0]]);
  const [parent, leaf, child] = boxes;
  if (!parent || !leaf || !child) throw new Error('three boxes');
  expect([parent.isFrame, leaf.isFrame]).toEqual([true, false]);
  expect(overlap(parent, child)).toBeCloseTo(child.width * child.height);
  expect(child.y).toBe(parent.y + 18);
  expect(overlap(parent, leaf)).toBe(0);
});

test('in their order areas follow as the lines of a text do, and keep their share', () => {
  const weights = [10, 80, 20, 40, 5, 60, 30, 70];
  const areas = squarify(weights, whole, true);
  const positions = areas.map(({ x, y }) => y * 1000 + x);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(new Set(areas.map(({ y }) => y)).size).toBeGreaterThan(1);
  for (const [index, { width, height }] of areas.entries()) {
    expect(width * height).toBeCloseTo(((weights[index] ?? 0) / 315) * 600 * 400, 3);
  }
});

test('in their order a small one does not become a thread beside large ones', () => {
  const areas = squarify([5, 40, 40, 40, 40, 40], whole, true);
  for (const { width, height } of areas) expect(Math.max(width / height, height / width)).toBeLessThan(6);
});

test('ranges stay in their order and look alike, whatever is in them', () => {
  const ranges = [30, 90, 60, 20].map((bytes, index): Node => ({ bytes, children: leaves(index, 1), isRange: true }));
  const boxes = layoutTreemap({ bytes: 200, children: ranges }, { width: 600, height: 400 });
  expect(boxes.map(({ path, isFrame }) => [path, isFrame])).toEqual(ranges.map((_, index) => [[index], false]));
  const positions = boxes.map(({ x, y }) => y * 1000 + x);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
});

test('a frame is never empty, nor full of dots', () => {
  const size = { width: 300, height: 200 };
  const dots = { bytes: 9000, children: leaves(1000, 9) };
  const parts = { bytes: 9000, children: leaves(20, 450) };
  const boxes = layoutTreemap<Node>({ bytes: 18_000, children: [dots, parts] }, size);
  expect(boxes.filter(({ isFrame }) => isFrame).map(({ node }) => node)).toEqual([parts]);
  expect(boxes).toHaveLength(22);
  const many = Array.from({ length: 13 }, (): Node => ({ bytes: 100, children: leaves(100, 1) }));
  const drawn = layoutTreemap<Node>({ bytes: 1300, children: many }, { width: 4000, height: 2000 });
  const frames = drawn.filter(({ isFrame }) => isFrame);
  expect(frames).toHaveLength(11);
  expect(drawn).toHaveLength(13 + 1100);
});

test('a payload of twenty thousand parts draws no more than can be seen', () => {
  const children = Array.from({ length: 20_000 }, (): Node => ({ bytes: 1, children: [] }));
  const boxes = layoutTreemap({ bytes: 20_000, children }, { width: 390, height: 300 });
  expect(boxes.length).toBeLessThanOrEqual(1200);
});

test('a chain of parts within parts ends', () => {
  let node: Node = { bytes: 10, children: [] };
  for (let depth = 0; depth < 1000; depth++) node = { bytes: 10, children: [node] };
  expect(layoutTreemap(node, { width: 5000, height: 5000 })).toHaveLength(12);
});

test('a short name is whole or not there, and of a long one the beginning is enough', () => {
  expect(fitText('2,201 to 2,300', 98, 7)).toBe('2,201 to 2,300');
  expect(fitText('2,201 to 2,300', 97, 7)).toBeUndefined();
  expect(fitText('a text that is as long as texts are', 112, 7)).toBe('a text that is …');
  expect(fitText('a text that is as long as texts are', 111, 7)).toBeUndefined();
});
