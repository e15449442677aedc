import { expect, it } from 'vitest';

import { exampleDigest } from './example-digest.ts';

it('is a number where the apps are of Next.js, our own form elsewhere, and both where there are both', () => {
  expect(exampleDigest(['next'])).toBe('2418436719');
  expect(exampleDigest(['next', ''])).toBe('2418436719');
  expect(exampleDigest([])).toBe('XXXXX-XXXXX');
  expect(exampleDigest(['waku'])).toBe('XXXXX-XXXXX');
  expect(exampleDigest(['waku', 'next'])).toBe('XXXXX-XXXXX or 2418436719');
});
