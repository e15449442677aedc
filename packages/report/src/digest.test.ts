import { describe, expect, it } from 'vitest';

import { formatDigest, isDigest, mintDigest, parseDigest } from './digest.ts';

describe('mintDigest', () => {
  it('gives ten characters of the alphabet, a different one each time', () => {
    const digests = new Set(Array.from({ length: 1000 }, mintDigest));
    expect(digests.size).toBe(1000);
    for (const digest of digests) expect(digest).toMatch(/^[0-9ABCDEFGHJKMNPQRSTVWXYZ]{10}$/);
  });
});

describe('parseDigest', () => {
  it('reads what formatDigest shows', () => {
    const digest = mintDigest();
    expect(parseDigest(formatDigest(digest))).toBe(digest);
  });

  it('reads letters that look like digits as those digits, in either case', () => {
    expect(parseDigest('oil00-00abc')).toBe('0110000ABC');
  });

  it('reads the line as it stands on the error page', () => {
    expect(parseDigest(' Digest: 3F7K2-M9QRT ')).toBe('3F7K2M9QRT');
  });

  it.each(['"3F7K2-M9QRT"', '“3f7k2 m9qrt”', 'https://example.com/digest/3F7K2-M9QRT', '3F7K2-M9QRT.'])(
    'reads %s as people paste it',
    (text) => expect(parseDigest(text)).toBe('3F7K2M9QRT'),
  );

  it.each(['', 'U234567890', '123', '12345678901', 'x'.repeat(10_000)])('refuses %j', (text) => {
    expect(parseDigest(text)).toBeUndefined();
  });
});

describe('isDigest', () => {
  it("refuses Waku's control digests and React's numbers", () => {
    expect(isDigest('__WAKU_CUSTOM_ERROR__;{"status":404}')).toBe(false);
    expect(isDigest('1930860604')).toBe(true);
    expect(isDigest(1930860604)).toBe(false);
  });
});
