import { expect, test } from 'vitest';

import { readSize } from './read-size.ts';

test.each<[string, number | undefined]>([
  ['0', 0],
  ['150000', 150_000],
  ['150kB', 150_000],
  ['150 KB', 150_000],
  ['1.5MiB', 1_572_864],
  ['2mb', 2_000_000],
  ['1KiB', 1024],
  ['1GiB', 1_073_741_824],
  ['0.5B', 0],
  ['', undefined],
  ['kB', undefined],
  ['-5', undefined],
  ['5 000', undefined],
  ['1e3', undefined],
  ['5 apples', undefined],
  ['5k', undefined],
  ['٣', undefined],
])('%j is %s bytes', (text, bytes) => {
  expect(readSize(text)).toBe(bytes);
});
