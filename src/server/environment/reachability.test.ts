import { expect, test } from 'vitest';

import { isReachableByOthers } from './reachability.ts';

test.each([
  ['127.0.0.1', undefined, false],
  ['127.8.8.8', undefined, false],
  ['localhost', undefined, false],
  ['::1', undefined, false],
  ['[::1]', 'http://localhost:3000', false],
  ['127.0.0.1', 'https://flight.example', true],
  ['0.0.0.0', undefined, true],
  ['192.168.1.5', 'http://127.0.0.1:3000', true],
  ['127.0.0.1.example', undefined, true],
])('%s behind %s: %s', (hostname, baseUrl, expected) => {
  expect(isReachableByOthers({ hostname, baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl) })).toBe(
    expected,
  );
});
