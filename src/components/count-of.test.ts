import { expect, it } from 'vitest';

import { countOf } from './count-of.ts';

it('says one in the singular, and all else in the plural', () => {
  expect([0, 1, 2, 1_234].map((count) => countOf(count, 'flight'))).toEqual([
    '0 flights',
    '1 flight',
    '2 flights',
    '1,234 flights',
  ]);
  expect(countOf(2, 'entry', 'entries')).toBe('2 entries');
});
