import { array, assert, constantFrom, integer, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { replaceAround } from './replace-around.ts';
import { scrubText } from './scrub.ts';

const filtered = '[Filtered]';

/** The reference: plain expressions, which are right and slow. */
const email = /[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2}[a-z\d-]{0,61}/gi;
const urlCredentials = /\b([a-z][a-z\d+.-]{0,20}:\/\/)[^\s/?#"']{1,256}@/gi;

function scrubPlainly(text: string): string {
  return text.replace(urlCredentials, `$1${filtered}@`).replace(email, '[email]');
}

/** Few pieces, so that they often meet; none of them matches other rules. */
const pieces = {
  addresses: ['@', '@', 'a', 'b.co', 'b.1', '.', '-', '+', ' ', 'é'],
  'credentials in URLs': ['://', '://', 'a', 'B', '+', '.', '@', '/', ' ', '"', 'é', '_'],
};

describe('replaceAround', () => {
  it.each(Object.entries(pieces))('finds the %s that the plain expressions find', (_, words) => {
    // Around each limit of the two expressions.
    const run = oneof(...[21, 63, 64, 256].map((limit) => integer({ min: limit - 2, max: limit + 2 })));
    const longRun = run.map((length) => 'x'.repeat(length));
    const word = oneof({ weight: 12, arbitrary: constantFrom(...words) }, { weight: 1, arbitrary: longRun });
    assert(
      property(array(word, { maxLength: 24 }), (text) => {
        expect(scrubText(text.join(''))).toBe(scrubPlainly(text.join('')));
      }),
      { numRuns: 5000 },
    );
  });

  it.each(['a', '@', 'a@', 'aa@@', '@a', `${'a'.repeat(300)}@`])('reads each character of %j twice at most', (part) => {
    let reads = 0;
    const text = part.repeat(Math.ceil(20_000 / part.length));
    replaceAround(text, {
      mark: '@',
      isBefore: (character) => {
        reads += 1;
        return character === 'a';
      },
      beforeLimit: 64,
      mayBegin: () => true,
      after: /b/y,
      replacement: () => '',
    });
    expect(reads).toBeLessThanOrEqual(2 * text.length);
  });
});
