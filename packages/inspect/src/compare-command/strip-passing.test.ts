import { expect, it } from 'vitest';

import { stripFigures, stripPassing } from './strip-passing.ts';

it.each([
  ['/_next/static/chunks/0nx3~8.css?dpl=abc', '/_next/static/chunks/#.css?dpl=#'],
  ['main-4f9a0c1d.js and main-4f9a0c1d.js.map', '#.js and #.js.map'],
  ['a.js', 'a.js'],
])('takes out what is of one build: %s', (text, expected) => {
  expect(stripPassing(text)).toBe(expected);
});

it.each([
  ['Row 1a waited 1,234.5 ms, 12 kB', 'row # waited #, #'],
  ['3 times, 2 of 5', '# times, # of #'],
  ['Row a is an error, digest D.', 'row # is an error, digest D.'],
  ['Rows 9, a and 1f are errors', 'row # are errors'],
  ['2 rows were promised and never came: a, b and c.', '# rows were promised and never came: #.'],
  ['and so on ...', 'and so on ...'],
])('takes the figures out of a title: %s', (title, expected) => {
  expect(stripFigures(title)).toBe(expected);
});

it('ends with a word of two million characters, as an image in base64url is', () => {
  const word = 'a_Z.'.repeat(500_000);
  expect(stripPassing(`${word} x`)).toBe(`${word} x`);
  const dots = '.,'.repeat(1_000_000);
  expect(stripFigures(`${dots} x`)).toBe(`${dots} x`);
});
