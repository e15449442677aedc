import { expect, it } from 'vitest';

import { calm, followLoad, type LoadLevel, type LoadSample, type LoadState } from './load-level.ts';

const idle: LoadSample = { delayMs: 1, utilization: 0.1, ownWork: 0.1, memory: 0.4 };
const slow: LoadSample = { ...idle, delayMs: 201, ownWork: 0.9 };
/** Others have the processors. */
const starved: LoadSample = { ...slow, utilization: 0.99, ownWork: 0.1 };
const busy: LoadSample = { ...idle, utilization: 0.99 };
const full: LoadSample = { ...idle, memory: 0.86 };

function follow(state: LoadState, sample: LoadSample, times: number): LoadState {
  return times === 0 ? state : follow(followLoad(state, sample), sample, times - 1);
}

function at(level: LoadLevel): LoadState {
  return { level, rising: 0, falling: 0 };
}

it('is calm at rest, and after a pause of a second and a half', () => {
  expect(follow(calm, idle, 100).level).toBe('calm');
  expect(follow(calm, slow, 3).level).toBe('calm');
  expect(follow(follow(follow(calm, slow, 3), idle, 1), slow, 3).level).toBe('calm');
});

it('turns away reports first, others later, pages last', () => {
  const levels = [4, 7, 8, 11, 12, 100].map((times) => follow(calm, slow, times).level);
  expect(levels).toEqual(['no-reports', 'no-reports', 'no-others', 'no-others', 'no-pages', 'no-pages']);
});

it('takes them again in the opposite order, and more slowly', () => {
  const levels = [7, 8, 15, 16, 23, 24].map((times) => follow(at('no-pages'), idle, times).level);
  expect(levels).toEqual(['no-pages', 'no-others', 'no-others', 'no-reports', 'no-reports', 'calm']);
});

it('stays where it is between the two limits, and begins to count anew', () => {
  const between: LoadSample = { ...idle, delayMs: 150, ownWork: 0.25 };
  expect(follow(calm, between, 100).level).toBe('calm');
  expect(follow(at('no-others'), between, 100).level).toBe('no-others');
  expect(follow(follow(follow(at('no-others'), idle, 7), between, 1), idle, 7).level).toBe('no-others');
});

it('turns away no more than reports because it is busy', () => {
  expect(follow(calm, busy, 100).level).toBe('no-reports');
  expect(follow(at('no-reports'), { ...idle, utilization: 0.9 }, 100).level).toBe('no-reports');
  expect(follow(at('no-pages'), busy, 100).level).toBe('no-reports');
});

it('turns away no more than reports while others have the processors', () => {
  expect(follow(calm, starved, 100).level).toBe('no-reports');
  expect(follow(at('no-pages'), starved, 100).level).toBe('no-reports');
  // Between the two limits of its own work it stays where it is.
  expect(follow(at('no-others'), { ...starved, ownWork: 0.25 }, 100).level).toBe('no-others');
  expect(follow(at('no-pages'), slow, 100).level).toBe('no-pages');
});

it('turns away pages for memory only when there is next to nothing left', () => {
  expect(follow(calm, full, 100).level).toBe('no-others');
  expect(follow(calm, { ...idle, memory: 0.96 }, 100).level).toBe('no-pages');
  expect(follow(at('no-pages'), full, 100).level).toBe('no-pages');
  expect(follow(at('no-others'), { ...idle, memory: 0.82 }, 100).level).toBe('no-others');
});

it('has no rule for memory where nobody set a limit', () => {
  expect(follow(calm, { ...idle, memory: undefined }, 100).level).toBe('calm');
  expect(follow(at('no-reports'), { ...idle, memory: undefined }, 8).level).toBe('calm');
});
