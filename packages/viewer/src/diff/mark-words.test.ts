import { expect, it } from 'vitest';

import { markWords } from './mark-words.ts';

const signs = { same: '', removed: '-', added: '+' };

function show(before: string, after: string): string | undefined {
  return markWords(before, after)
    ?.map(({ kind, text }) => (kind === 'same' ? text : `[${signs[kind]}${text}]`))
    .join('');
}

it.each([
  ['card p-4 active', 'card p-4', 'card p-4[- active]'],
  ['12 items in stock', '13 items in stock', '[-12][+13] items in stock'],
  ['Grüße an Ada', 'Grüße an Bo', 'Grüße an [-Ada][+Bo]'],
  ['a b c d', 'a x c d e', 'a [-b][+x] c d[+ e]'],
  ['same', 'same', 'same'],
])('%s → %s', (before, after, expected) => {
  expect(show(before, after)).toBe(expected);
});

it('leaves texts whole that have hardly a word in common, or are long', () => {
  expect(markWords('one', 'two')).toBeUndefined();
  expect(markWords('one fish', 'two whole other things, fish')).toBeUndefined();
  expect(markWords('', 'two')).toBeUndefined();
  expect(markWords('x '.repeat(200), `${'x '.repeat(200)}y`)).toBeUndefined();
  expect(markWords('x '.repeat(199), 'x '.repeat(200))).toBeDefined();
});

it('loses nothing', () => {
  const marked = markWords('a, b; c (d) e', 'a; b c (f) e!') ?? [];
  const side = (hidden: string) =>
    marked
      .filter(({ kind }) => kind !== hidden)
      .map(({ text }) => text)
      .join('');
  expect(side('added')).toBe('a, b; c (d) e');
  expect(side('removed')).toBe('a; b c (f) e!');
});
