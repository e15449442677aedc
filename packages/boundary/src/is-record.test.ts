import { expect, it } from 'vitest';

import { isRecord } from './is-record.ts';

it.each([
  [{}, true],
  [{ a: 1 }, true],
  [null, false],
  [[], false],
  ['text', false],
  [undefined, false],
])('%j: %s', (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});
