import { expect, test } from 'vitest';

import { createTimeAxis } from './time-axis.ts';

test('what overlaps or follows at once keeps its scale', () => {
  const { length, place } = createTimeAxis(
    [
      { start: 1000, end: 1100 },
      { start: 1050, end: 1200 },
      { start: 1300, end: 1400 },
    ],
    500,
  );
  expect(length).toBe(400);
  expect([1000, 1050, 1200, 1250, 1400].map(place)).toEqual([0, 50, 200, 250, 400]);
});

test('a pause is no longer than allowed, and times within it are in order', () => {
  const { length, place } = createTimeAxis(
    [
      { start: 0, end: 100 },
      { start: 60_100, end: 60_200 },
    ],
    500,
  );
  expect(length).toBe(700);
  expect(place(60_100)).toBe(600);
  expect(place(30_100)).toBe(350);
});

test('times outside are at the ends, and no flights make no picture', () => {
  const { place } = createTimeAxis([{ start: 10, end: 20 }], 500);
  expect([place(0), place(99)]).toEqual([0, 10]);
  expect(createTimeAxis([], 500).length).toBe(0);
});
