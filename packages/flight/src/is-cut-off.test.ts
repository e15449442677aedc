import { expect, it } from 'vitest';

import { isCutOff } from './is-cut-off.ts';

it.each([
  ['prefetch', 'complete', false],
  ['navigation-or-prefetch', 'complete', false],
  ['navigation', 'complete', undefined],
  ['action', 'complete', undefined],
  ['document', 'complete', undefined],
  ['navigation', 'failed', true],
  ['prefetch', 'left', true],
  ['prefetch', 'none', undefined],
])('of a %s that ended as %s, whether it was cut off: %s', (kind, outcome, isCut) => {
  expect(isCutOff(kind, outcome)).toBe(isCut);
});
