import { describe, expect, it } from 'vitest';

import { decodePart, readAnyCode, readCodes } from './read-code.ts';

it('takes a percent sign that encodes nothing as it is', () => {
  expect([decodePart('a%40E1'), decodePart('%E0'), decodePart('100%')]).toEqual(['a@E1', '%E0', '100%']);
});

describe('readCodes', () => {
  it.each([
    ['3F7K2-M9QRT', '3F7K2M9QRT'],
    ['3f7k2 m9qrt', '3F7K2M9QRT'],
    [' Digest: 3f7k2-m9qrt ', '3F7K2M9QRT'],
    ['http://127.0.0.1:3000/digest/3F7K2-M9QRT', '3F7K2M9QRT'],
    ['2338734591', '2338734591'],
    ['943353745', '943353745'],
    ['943 353 745', '943353745'],
    [' 3890 4217 ', '38904217'],
    ['2338734591@E394', '2338734591@E394'],
    [
      'Application error: a server-side exception has occurred (see the logs). Digest: 2338734591@E394',
      '2338734591@E394',
    ],
    ['Digest: "2338734591".', '2338734591'],
    ['ERROR 1780461906', '1780461906'],
    ['I was on /checkout and it said “Digest: 943353745”, twice!', '943353745'],
    ["{ digest: '352664369' }", '352664369'],
    ['They read it out: 3F7K2-M9QRT, I think', '3F7K2M9QRT'],
    ['https://recorder.test/digest/2338734591%40E394?app=shop', '2338734591@E394'],
    ['DYNAMIC:abc/def', 'DYNAMIC:abc/def'],
    ['PAY(71)', 'PAY(71)'],
    ['Failed!', 'Failed!'],
    ['Digest: CART(12)', 'CART(12)'],
    ['(digest: PAY71)', 'PAY71'],
    ['https://recorder.test/digest/%5Bpay%5D', '[pay]'],
    ['https://recorder.test/digest/DYNAMIC%253Aabc%252Fdef', 'DYNAMIC:abc/def'],
  ])('finds in %j the stored form %s', (typed, code) => {
    expect(readCodes(typed)).toContain(code);
  });

  it('takes a digest of ours for the likeliest reading, and a number for what it is', () => {
    expect(readCodes('3f7k2-m9qrt')[0]).toBe('3F7K2M9QRT');
    expect(readCodes('2338734591')[0]).toBe('2338734591');
    expect(readCodes('23387-34591')).toContain('2338734591');
  });

  it('takes a mark at the end for a part of the digest first, and then for none', () => {
    expect(readCodes('PAY(71)')).toEqual(['PAY(71)', 'PAY(71']);
  });

  it.each(['', '4 3', '1234 5678 9012', '389 errors', 'ERR_500 on checkout', 'the page is broken', 'x '.repeat(2_000)])(
    'finds nothing in %j',
    (typed) => {
      expect(readCodes(typed)).toEqual([]);
    },
  );

  it('reads a bounded part, and finds a bounded number', () => {
    const many = Array.from({ length: 200 }, (_, index) => String(10_000_000 + index)).join(' ');
    expect(readCodes(many)).toHaveLength(12);
    expect(readCodes(`${'-'.repeat(1_000)} Digest: 943353745`)).toEqual([]);
    expect(readCodes('x'.repeat(65))).toEqual([]);
    expect(readCodes('x'.repeat(64))).toEqual(['x'.repeat(64)]);
  });
});

it('looks up a whole text as a digest first, with its spaces', () => {
  expect(readAnyCode(' no stock ')).toEqual(['no stock']);
  expect(readAnyCode('3f7k2 m9qrt')).toEqual(['3f7k2 m9qrt', '3F7K2M9QRT']);
  expect(readAnyCode('x '.repeat(60))).toEqual([]);
});
