import { DatabaseSync } from 'node:sqlite';

import { expect, it } from 'vitest';

import { writeMatch } from './search-tables.ts';
import { writeQuery, writeWords } from './search-words.ts';

/** The words that SQLite's full-text search makes of a text, with their places, as a `tsvector` has them. */
function askSqlite(text: string): string[] {
  const database = new DatabaseSync(':memory:');
  database.exec(`create virtual table words using fts5 (text, tokenize = "unicode61 remove_diacritics 2");
    create virtual table vocabulary using fts5vocab (words, instance)`);
  database.prepare('insert into words (text) values (?)').run(text);
  const rows = database.prepare('select term, offset from vocabulary').all();
  database.close();
  const places = Map.groupBy(rows, ({ term }) => String(term));
  return [...places].map(([word, at]) => `'${word}':${at.map(({ offset }) => Number(offset) + 1).join(',')}`).sort();
}

it.each([
  'TypeError: no price in basket',
  'src/cart.ts:7 node:internal/process https://pay.test/charge?x=1&y=a_b',
  'Café CAFÉ cafe\u0301 naïve Ångström Ł Øre façade ñ',
  'Привет йод Ёлка',
  '日本語の文 カタカナ がぎぐ 한국어',
  'مرحبا שלום हिन्दी',
  "it's 'quoted' and \\escaped\\ \"double\" ''",
  '😀 x😀y 1️⃣ ½ ² Ⅷ',
  'a b a b a',
  '',
  '—…·',
])('has the words of SQLite for %s', (text) => {
  expect(writeWords(text).split(' ').filter(Boolean).sort()).toEqual(askSqlite(text));
});

it('keeps the places that a tsvector can have', () => {
  const places = writeWords(`${'same '.repeat(300)}end`);
  expect(places).toMatch(/^'same':1,2,3,.*,255 'end':301$/);
  expect(writeWords(`${Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' ')}`)).toMatch(/'w16383' /);
});

it('cuts a word that is longer than a tsvector takes', () => {
  expect(Buffer.byteLength(writeWords('𝕏'.repeat(3_000)))).toBeLessThan(2_046);
});

it.each([
  ['basket', "('basket':*)"],
  ['two words', "('two') & ('words':*)"],
  ['"a phrase" Word', "('a' <-> 'phrase') & ('word':*)"],
  ['src/cart.ts', "('src' <-> 'cart' <-> 'ts':*)"],
  ["it's", "('it' <-> 's':*)"],
  ['a', "('a')"],
])('asks for %s', (typed, query) => {
  expect(writeQuery(writeMatch(typed) ?? '')).toBe(query);
});

it('asks for nothing where there is no word', () => {
  expect(writeQuery('"—"')).toBeUndefined();
});
