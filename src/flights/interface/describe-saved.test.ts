import { expect, it } from 'vitest';

import { describeSaved } from './describe-saved.ts';

it.each([
  ['all known', { prefetches: 8 }, 'Links without prefetching would have saved 8 requests of it, 80 B.'],
  [
    'some may be',
    { prefetches: 8, unsure: 1 },
    'Links without prefetching would have saved at least 8 requests of it, 80 B.',
  ],
  [
    'sizes that are not known',
    { prefetches: 8, sized: 9 },
    'Links without prefetching would have saved 8 requests of it.',
  ],
  ['no prefetch', {}, 'None of it was a prefetch.'],
  [
    'nothing told apart',
    { unsure: 10 },
    'Nothing says which of it is a prefetch: what links without prefetching would save is unknown.',
  ],
])('%s', (_, storm, text) => {
  const given = { requests: 10, sized: 10, prefetches: 0, prefetch_bytes: 80, unsure: 0, ...storm };
  expect(describeSaved(given)).toBe(text);
});
