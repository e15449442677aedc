import { expect, it } from 'vitest';

import { createDeathLimit } from './death-limit.ts';

it('replaces one at once, those that follow after growing pauses, and then none', () => {
  const limit = createDeathLimit(2);
  expect([0, 1, 2, 3, 4, 5, 6].map((at) => limit.note(at))).toEqual([0, 100, 200, 400, 800, 1_600, undefined]);
});

it('forgets what was a minute ago', () => {
  const limit = createDeathLimit(1);
  expect([0, 1, 2].map((at) => limit.note(at))).toEqual([0, 100, 200]);
  // One and two are left.
  expect(limit.note(60_000)).toBe(200);
  expect(limit.note(60_000.5)).toBeUndefined();
  expect(limit.note(200_000)).toBe(0);
});

it('never waits for longer than five seconds', () => {
  const limit = createDeathLimit(16);
  const pauses = Array.from({ length: 48 }, (_, at) => limit.note(at));
  expect(Math.max(...pauses.map((pause) => pause ?? Number.NaN))).toBe(5_000);
});
