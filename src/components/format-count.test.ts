import { expect, it } from 'vitest';

import { formatCount } from './format-count.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [12_345_678, '12,345,678'],
])('%i is %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});
