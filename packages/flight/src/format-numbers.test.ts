import { describe, expect, it } from 'vitest';

import {
  formatBytes,
  formatBytesChange,
  formatCount,
  formatDuration,
  formatLimit,
  formatShare,
} from './format-numbers.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [12_345_678, '12,345,678'],
])('the count %i is %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [4_123, '4.12 kB'],
  [31_249, '31.2 kB'],
  [313_000, '313 kB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [5_700_000, '5.7 MB'],
  [268_435_456, '268 MB'],
  [1_500_000_000, '1.5 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [1024 * 1024, '1 MiB'],
  [1.5 * 1024 * 1024, '1.5 MiB'],
  [268_435_456, '256 MiB'],
  [1023 * 1024 * 1024, '1023 MiB'],
  [2 * 1024 * 1024 * 1024, '2 GiB'],
])('the limit of %i bytes is %s', (bytes, text) => {
  expect(formatLimit(bytes)).toBe(text);
});

it.each([
  [0, '±0 B'],
  [2_100, '+2.1 kB'],
  [-300, '−300 B'],
])('a change of %i bytes is %s', (bytes, text) => {
  expect(formatBytesChange(bytes)).toBe(text);
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [0.42, '0.4 ms'],
    [9.94, '9.9 ms'],
    [38.4, '38 ms'],
    [999, '999 ms'],
    [999.6, '1 s'],
    [1_500, '1.5 s'],
    [4_236, '4.24 s'],
    [10_940, '10.9 s'],
    [59_960, '1 min'],
    [3_600_000 - 1, '59 min'],
    [47 * 3_600_000, '47 h'],
    [72 * 3_600_000, '3 d'],
  ])('%d is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

it.each([
  [0, 10, '0 %'],
  [1, 0, '0 %'],
  [1, 10_000, '< 0.1 %'],
  [31, 1_000, '3.1 %'],
  [42, 100, '42 %'],
  [996, 10_000, '10 %'],
])('%i of %i is %s', (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text);
});
