import { expect, it } from 'vitest';

import { describeError } from './describe-error.ts';

it.each([
  [new TypeError('boom'), 'boom'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [{ message: 'not an error' }, '[object Object]'],
])('%s: %s', (thrown, expected) => {
  expect(describeError(thrown)).toBe(expected);
});
