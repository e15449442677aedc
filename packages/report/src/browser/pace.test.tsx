import { beforeEach, expect, it } from 'vitest';

import { createPace } from './pace.ts';

const hourMs = 3_600_000;

beforeEach(() => {
  sessionStorage.clear();
  history.replaceState(null, '', '/');
});

function count(take: (now: number) => boolean, tries: number, now: number): number {
  let taken = 0;
  for (let n = 0; n < tries; n += 1) if (take(now)) taken += 1;
  return taken;
}

/** Goes to new pages until nothing is left. */
function countPages(take: (now: number) => boolean, now: number): number {
  let taken = 0;
  for (let page = 0; page < 20; page += 1) {
    history.replaceState(null, '', `/page-${page}`);
    taken += count(take, 20, now);
  }
  return taken;
}

it('is bounded for a page, for an hour and for a tab', () => {
  const take = createPace(false);
  expect(count(take, 20, 0)).toBe(10);
  expect(countPages(take, 0)).toBe(20);
  expect([1, 2, 3].map((hour) => countPages(take, hour * hourMs))).toEqual([30, 30, 10]);
});

it('counts on in the next document where the tab remembers it, and stores nothing where it does not', () => {
  countPages(createPace(true), 0);
  expect(countPages(createPace(true), 0)).toBe(0);
  expect(countPages(createPace(false), 0)).toBe(30);
  sessionStorage.clear();
  countPages(createPace(false), 0);
  expect(sessionStorage.length).toBe(0);
});
