import { expect, it } from 'vitest';

import { listRowCauses } from './list-row-causes.ts';
import type { PlacedSpan } from './server-time.ts';

function place(kind: PlacedSpan['kind'], name: string, at: number, ms: number, depth: number): PlacedSpan {
  return { name, kind, at, ms, depth, ownMs: ms, hasFailed: false };
}

it('names components with their longest request, requests with their component, and no wait', () => {
  const spans = [
    place('component', 'Reviews', 0, 320, 0),
    place('wait', 'reviews', 5, 300, 1),
    place('client', 'GET stars', 5, 30, 2),
    place('client', 'GET reviews', 5, 300, 2),
    place('function', 'save', 400, 10, 0),
    place('client', 'GET alone', 500, 20, 0),
  ];
  expect(listRowCauses({ spans, left: 0, movedMs: 0, tellers: ['code'] })).toEqual([
    { name: '<Reviews> with its GET reviews', from: 0, until: 320 },
    { name: 'GET stars of <Reviews>', from: 5, until: 35 },
    { name: 'GET reviews of <Reviews>', from: 5, until: 305 },
    { name: 'save()', from: 400, until: 410 },
    { name: 'GET alone', from: 500, until: 520 },
  ]);
});
