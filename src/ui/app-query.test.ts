import { expect, it } from 'vitest';

import { formatAppQuery, parseAppQuery } from './app-query.ts';

it('is read back as it was written', () => {
  expect(parseAppQuery(formatAppQuery('my-shop'))).toBe('my-shop');
  expect(parseAppQuery(formatAppQuery(undefined))).toBeUndefined();
});

it.each(['', 'app=', 'app=A', 'app=a/b', 'app=%3Cb%3E', `app=${'a'.repeat(41)}`])('%s chooses nothing', (search) =>
  expect(parseAppQuery(search)).toBeUndefined(),
);
