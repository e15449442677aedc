import { expect, it } from 'vitest';

import { formWords } from './form-words.ts';
import { rowWords } from './row-words.ts';
import { readQuery } from './search-entries.ts';

const entries = [...Object.values(rowWords), ...formWords].map(({ anchor, token, name, says }) => ({
  anchor,
  token,
  text: `${token} ${name} ${says}`,
}));

function find(query: string): readonly string[] {
  return entries.filter((entry) => readQuery(query)?.(entry) ?? true).map(({ anchor }) => anchor);
}

it.each([
  ['"$L…"', 'form-L'],
  ['"$@…"', 'form-promise'],
  ['"$h…"', 'form-h'],
  ['“$T…”', 'form-T'],
  ['"$…:props:…"', 'form-reference'],
  ['["$", type, key, props]', 'form-element'],
  ['"bound"', 'form-h'],
  ['ASYNC ITERABLE', 'row-X'],
])('finds %s as a guide or a payload has it', (query, anchor) => {
  const found = find(query);
  expect(found).toContain(anchor);
  expect(found.length).toBeLessThan(6);
});

it('knows small letters from capitals, and one letter as a token alone', () => {
  expect(find('$S')).toContain('form-S');
  expect(find('$S')).not.toContain('form-L');
  expect(find('X')).toEqual(['row-X', 'reply-stream']);
});

it('finds parts in their order alone', () => {
  expect(find('props…$1')).not.toContain('form-reference');
  expect(find('title…$1')).toEqual([]);
});

it('looks for nothing where there is nothing to look for', () => {
  for (const query of ['', ' ', '""', '…']) expect(readQuery(query)).toBeUndefined();
});
