import { expect, test } from 'vitest';

import { isAtLeast } from './is-at-least.mjs';

test.each([
  ['v20.19.0', '20.19', true],
  ['20.18.9', '20.19', false],
  ['v24.0.0', '22.15', true],
  ['v3.51.3', '3.51.3', true],
  ['3.51.2', '3.51.3', false],
  ['3.52', '3.51.3', true],
  ['10', '10.0', true],
  ['22', '22.15', false],
  ['19.3.1-rc.1', '19.3.1', false],
  ['19.4.0-rc.1', '19.3.1', true],
])('%s is at least %s: %s', (version, floor, expected) => {
  expect(isAtLeast(version, floor)).toBe(expected);
});
