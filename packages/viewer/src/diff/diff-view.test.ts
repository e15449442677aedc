import { expect, it } from 'vitest';

import { firstView, formatDiffView, parseDiffView } from './diff-view.ts';

it.each([
  firstView,
  { group: 0, page: 0 },
  { group: 12, page: 0 },
  { group: undefined, page: 4 },
  { group: 3, page: 1 },
])('%j is read from its address', (view) => {
  expect(parseDiffView(formatDiffView(view))).toEqual(view);
});

it('counts from 1 in addresses, and leaves the first page out', () => {
  expect(formatDiffView(firstView)).toBe('');
  expect(formatDiffView({ group: 2, page: 1 })).toBe('?group=3&page=2');
});

it.each(['?group=0', '?group=x&page=-1', '?page=9999999', '?page=0', ''])('%s is the first page of all', (query) => {
  expect(parseDiffView(query)).toEqual(firstView);
});
