import { expect, it } from 'vitest';

import { countBefore } from './count-before.ts';

it('counts the first items that come before, of none, some and all', () => {
  for (let count = 0; count < 9; count += 1) {
    for (let before = 0; before <= count; before += 1) {
      expect(countBefore(count, (index) => index < before)).toBe(before);
    }
  }
});
