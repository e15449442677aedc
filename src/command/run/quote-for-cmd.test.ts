import { expect, it } from 'vitest';

import { quoteForCmd } from './quote-for-cmd.ts';

/** What is left when cmd has read the line twice, as it does with a batch file. */
function readByCmdTwice(line: string): string {
  const once = (text: string) => text.replace(/\^(.)/g, '$1');
  return once(once(line));
}

it.each([
  ['start', '"start"'],
  ['two words', '"two words"'],
  ['say "yes"', String.raw`"say \"yes\""`],
  ['C:\\folder\\', String.raw`"C:\folder\\"`],
  [String.raw`a\"b`, String.raw`"a\\\"b"`],
  ['', '""'],
])('%j comes out of cmd as %s', (word, read) => {
  expect(readByCmdTwice(quoteForCmd(word))).toBe(read);
});

it.each(['&', '|', '<', '>', '^', '%', '!', '(', ')', '"', ' '])('leaves no %s that cmd would act on', (character) => {
  expect(quoteForCmd(`a${character}b`)).toMatch(/^(?:[^&|<>^%!()" ]|\^.)*$/);
  expect(readByCmdTwice(quoteForCmd(`a${character}b`))).toContain(character);
});
