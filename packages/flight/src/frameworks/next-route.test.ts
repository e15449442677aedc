import { expect, it } from 'vitest';

import { describeApp } from '../describe-app.ts';

function readRoute(...rows: readonly string[]): string | undefined {
  return describeApp(new TextEncoder().encode(`${rows.join('\n')}\n`)).route;
}

/** What a navigation of Next.js until 16.3 brings: a path for each slot that changes. */
function navigate(...paths: readonly unknown[]): string {
  return `0:${JSON.stringify({ b: 'build', f: paths, S: false })}`;
}

const page = ['__PAGE__', {}];
const rest = ['rest', 'items/5', 'c'];
const nothing = [null, [null, null], false];

it('is the page’s, not that of a catch-all in a slot beside it', () => {
  const beside = ['modal', '(slot)', 'children', rest, 'children', '__PAGE__', page, ...nothing];
  const item = ['children', 'items', 'children', ['id', '5', 'd'], 'children', '__PAGE__', page, ...nothing];
  expect(readRoute(navigate(beside, item))).toBe('/items/[id]');
  expect(readRoute(navigate(beside))).toBeUndefined();
  const slot = ['modal', '(slot)', ['(slot)', { children: [rest, { children: page }] }], ...nothing];
  expect(readRoute(navigate(slot, ['children', 'items', ['items', { children: page }], ...nothing]))).toBe('/items');
});

it('is the intercepted page’s, which is shown in a slot beside the one that was left', () => {
  const photo = [
    'modal',
    '(slot)',
    'children',
    '(.)pic',
    ['(.)pic', { children: [['id', '3', 'd'], { children: page }] }],
  ];
  expect(readRoute(navigate([...photo, ...nothing]))).toBe('/(.)pic/[id]');
});

/** Next 16.4: slots are a Map, a row of pairs. */
const slots = (row: number, ...pairs: readonly (readonly [string, unknown])[]) => `${row}:${JSON.stringify(pairs)}`;
const root = '0:{"t":{"t":{"s":"","c":"$Q1"}}}';

it('16.4 writes slots as pairs, and a default for what is not there', () => {
  const missing = ['children', { s: '__DEFAULT__' }] as const;
  const inSlot = (segment: unknown) => [
    slots(3, ['children', { s: segment, c: '$Q4' }]),
    slots(2, ['children', { s: '(.)pic', c: '$Q3' }]),
    slots(1, missing, ['modal', { s: '(__SLOT__)', c: '$Q2' }]),
    root,
  ];
  const end = slots(4, ['children', { s: '__PAGE__' }]);
  expect(readRoute(end, ...inSlot({ n: 'id', t: 'd', k: '3', s: [] }))).toBe('/(.)pic/[id]');
  const catchAll = [slots(2, ['children', { s: { n: 'rest', t: 'c', k: 'about', s: [] }, c: '$Q4' }]), end];
  expect(readRoute(...catchAll, slots(1, ['modal', { s: '(__SLOT__)', c: '$Q2' }]), root)).toBeUndefined();
  const about = slots(5, ['children', { s: 'about', c: '$Q4' }]);
  const both = slots(1, ['modal', { s: '(__SLOT__)', c: '$Q2' }], ['children', { s: 'about', c: '$Q4' }]);
  expect(readRoute(about, ...catchAll, both, root)).toBe('/about');
});

it('ends on what refers to itself again and again', () => {
  const wide = Array.from({ length: 50 }, (_, index) => [`slot${index}`, { s: 'a', c: '$Q1' }] as const);
  expect(readRoute(slots(1, ...wide), root)).toBeUndefined();
});
