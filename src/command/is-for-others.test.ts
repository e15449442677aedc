import { expect, it } from 'vitest';

import { isForOthers } from './is-for-others.ts';

const local = '127.0.0.1';

it.each([
  [local, ['X-Forwarded-For', '203.0.113.7, 127.0.0.1'], true],
  ['::ffff:127.0.0.1', ['x-forwarded-for', '203.0.113.7'], true],
  [local, ['X-Forwarded-Host', 'shop.example'], true],
  [local, ['Host', 'shop.example', 'X-Forwarded-Proto', 'https'], true],
  [local, ['Host', 'shop.example'], false],
  [local, ['Host', 'localhost:3000', 'X-Forwarded-Proto', 'http'], false],
  [local, ['X-Forwarded-For', '127.0.0.1', 'X-Forwarded-Host', 'shop.test'], false],
  [local, ['X-Forwarded-Host', ':::'], false],
  [local, [], false],
  ['192.0.2.1', ['X-Forwarded-For', '203.0.113.7'], false],
])('from %s with %j: %s', (peer, headers, expected) => {
  expect(isForOthers({ peer, headers })).toBe(expected);
});
