import { array, assert, constantFrom, property, string } from 'fast-check';
import { afterEach, expect, it } from 'vitest';

import { setOwnKeys } from './scrub-keys.ts';
import { applyRules, scrubRules } from './scrub-rules.ts';
import { scrubText } from './scrub.ts';

afterEach(() => setOwnKeys([]));

/** The reference: every rule, whatever the text has. */
function scrubPlainly(text: string): string {
  return scrubRules.reduce((scrubbed, rule) => rule.replace(scrubbed), text);
}

/** Parts of what the rules match, so that some texts match, and most nearly do. */
const parts = [
  ...scrubRules.flatMap(({ example }) => example.split(' ')),
  '4111111111111111',
  '078-05-1120',
  '10.0.0.1',
  '::1',
  'DE89370400440532013000',
  'DE89',
  '4111',
  '3704',
  '0044',
  'bEaReR',
  'abcdef01',
  'Bearer\tabcdefgh',
  '\u017F',
  '/home/',
  '/Users/',
  'C:\\Users\\',
  'jane',
  '?a',
  '#b',
  '=',
  '&',
  'customer_no',
  '\\"',
  '"',
  "'",
  ':',
  '@',
  '.',
  '-',
  ' ',
  '\n',
  '1',
  '12',
  '123',
  'A',
  'é',
];

it('a text that no rule can match is left unread, and every other one is scrubbed by all rules', () => {
  setOwnKeys(['customer_no']);
  const text = array(constantFrom(...parts), { maxLength: 8 });
  assert(
    property(text, constantFrom('', ' '), (words, between) => {
      expect(applyRules(scrubRules, words.join(between))).toBe(scrubPlainly(words.join(between)));
    }),
    { numRuns: 5000 },
  );
  assert(
    property(string(), (any) => {
      expect(scrubText(any)).toBe(scrubPlainly(any));
    }),
  );
});

it.each(scrubRules)('$name: its example is read', ({ example, replace }) => {
  setOwnKeys(['customer_no']);
  expect(replace(example)).not.toBe(example);
  expect(applyRules([{ name: '', example, of: 'all', replace }], example)).toBe(replace(example));
});

it.each([
  ['078-05-1120', '[Filtered]'],
  ['card 4111 1111 1111 1111', 'card [Filtered]'],
  ['10.0.0.1', '[ip]'],
  ['DE89 3704 0044 0532 0130 00', '[Filtered]'],
  ['bearer\tabcdefgh', 'bearer\t[Filtered]'],
  ['/home/jane', '/home/[user]'],
  ['/Users/jane', '/Users/[user]'],
])('%j alone is scrubbed', (text, scrubbed) => {
  expect(scrubText(text)).toBe(scrubbed);
});
