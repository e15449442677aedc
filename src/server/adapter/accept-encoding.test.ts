import { expect, test } from 'vitest';

import { chooseEncoding } from './accept-encoding.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP;Q=0.5', 'gzip'],
  ['gzip;q=1.0, br;q=0.9', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.000,gzip;q=0.001', 'gzip'],
  ['gzip;q=0, br;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['identity', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=0.2', undefined],
  ['identity;q=0.5, gzip;q=0.8', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['deflate, zstd', undefined],
  ['gzip;q=2', undefined],
  ['gzip;q=0.1234', undefined],
  ['gzip;level=9', undefined],
  ['gzipped, brotli', undefined],
  [',,;q=1,', undefined],
  [`gzip${' '.repeat(300)}`, undefined],
])('%s: %s', (header, expected) => {
  expect(chooseEncoding(header, ['br', 'gzip'])).toBe(expected);
});
