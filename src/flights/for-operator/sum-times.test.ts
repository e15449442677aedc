import { expect, it } from 'vitest';

import type { PlacedSpan, ServerTime } from '#flight';

import { sumTimes } from './sum-times.ts';

function place(name: string, ownMs: number, kind: PlacedSpan['kind'] = 'client'): PlacedSpan {
  return { name, kind, at: 0, ms: ownMs + 100, depth: 0, ownMs, hasFailed: false };
}

function answer(...spans: readonly PlacedSpan[]): ServerTime {
  return { spans, left: 0, movedMs: 0, tellers: ['opentelemetry'] };
}

it('sums what spans of one name and kind took themselves, in each answer', () => {
  const sums = sumTimes([
    answer(place('GET prices', 10), place('GET prices', 20), place('page', 5, 'server')),
    answer(place('GET prices', 50)),
    answer(place('page', 7, 'server'), place('GET prices', 3, 'internal')),
  ]);
  expect(sums).toEqual([
    { name: 'GET prices', kind: 'client', answers: 2, times: 3, p50Ms: 30, p95Ms: 50, totalMs: 80 },
    { name: 'page', kind: 'server', answers: 2, times: 2, p50Ms: 5, p95Ms: 7, totalMs: 12 },
    { name: 'GET prices', kind: 'internal', answers: 1, times: 1, p50Ms: 3, p95Ms: 3, totalMs: 3 },
  ]);
});

it('shows the twelve that took most', () => {
  const names = Array.from({ length: 13 }, (_, number) => place(`GET ${number}`, number));
  expect(sumTimes([answer(...names)]).map(({ totalMs }) => totalMs)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(sumTimes([])).toEqual([]);
});
