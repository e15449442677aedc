import { expect, test } from 'vitest';

import { asText } from './untrusted-json.ts';

test('text is cut, and holds neither NUL nor the colours of a terminal', () => {
  expect(asText('\u001b[31mUnexpected\u001b[0m token\0', 100)).toBe('Unexpected token\uFFFD');
  expect(asText('x'.repeat(101), 100)).toBe('x'.repeat(100));
  expect(asText(7, 100)).toBeUndefined();
});
