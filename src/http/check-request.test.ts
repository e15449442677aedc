import { expect, test } from 'vitest';

import { checkFieldCount } from './check-request.ts';

test('a decoded form has at most a thousand fields, repeated names included', () => {
  const form = new FormData();
  for (let count = 0; count < 1000; count += 1) form.append('same', '');
  expect(checkFieldCount(form)).toBeUndefined();
  form.append('same', '');
  expect(checkFieldCount(form)).toEqual({ code: 'too-many-fields', detail: '1001 fields' });
});
