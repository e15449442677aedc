import { expect, it } from 'vitest';

import { decodeSpelling } from './decode-spelling.ts';
import { isQueryFlag } from './query-flag.ts';

it.each([
  ['%70assword%3D', 'password='],
  ['%2570assword', 'password'],
  ['%25252570', 'p'],
  ['%25%37%30', 'p'],
  ['%%37%30', 'p'],
  [String.raw`\u0070\u005f`, 'p_'],
  [String.raw`\u00257\u0030`, 'p'],
  ['caf%C3%A9 %0a %00', 'caf%C3%A9 %0a %00'],
  ['100% %zz %4', '100% %zz %4'],
])('%s says %s', (text, expected) => {
  expect(decodeSpelling(text)).toBe(expected);
});

it('leaves what it is told to', () => {
  expect(decodeSpelling('a%3Db%20c%2520d', /\s/)).toBe('a=b%20c%20d');
});

/** The least of some tries, in milliseconds of the processor: what else happens meanwhile only adds to it. */
function measure(text: string): number {
  const tries = Array.from({ length: 5 }, () => {
    const started = process.cpuUsage();
    decodeSpelling(text);
    return process.cpuUsage(started).user / 1_000;
  });
  return Math.min(...tries);
}

// Eight times the length is eight times the work where each part is read once, and 64 times where it is read again for each.
it.each([
  ['%25', 40_000],
  ['25', 60_000],
  ['%', 120_000],
  [String.raw`\u00`, 30_000],
] as const)('reads a long text once, of %j', (part, count) => {
  const long = measure(`%${part.repeat(count)}`);
  const short = measure(`%${part.repeat(count / 8)}`);
  expect(long / Math.max(short, 0.5)).toBeLessThan(24);
});

it.each(['raw', 'q', 'no-cache', 'sort_by', 'userId', 'withPricesOnly', '__rsc'])('%s is a flag', (part) => {
  expect(isQueryFlag(part)).toBe(true);
});

it.each(['', 's3cr3tvalue', '9', 'AbCdEf', 'kXqZmPwLr', 'a'.repeat(30), '%70ass', 'a.b'])('%s is a value', (part) => {
  expect(isQueryFlag(part)).toBe(false);
});
