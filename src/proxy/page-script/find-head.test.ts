import { expect, it, vi } from 'vitest';

import { createHeadFinder } from './find-head.ts';

/** Where the mark is put, in pieces of so many bytes. */
function insert(page: string, size: number): string {
  const findHead = createHeadFinder();
  const bytes = Buffer.from(page);
  for (let at = 0; at < bytes.length; at += size) {
    const found = findHead(bytes.subarray(at, at + size));
    if (found === 'none') return 'none';
    if (found === 'more') continue;
    return `${bytes.subarray(0, at + found)}|${bytes.subarray(at + found)}`;
  }
  return 'more';
}

const pages = [
  [
    'a usual one',
    '<!DOCTYPE html><html lang="de"><head><meta charset="utf-8">',
    '<!DOCTYPE html><html lang="de"><head>|<meta charset="utf-8">',
  ],
  [
    'spaces, capitals, a mark of its encoding',
    '\ufeff \n<!doctype HTML >\n<HTML>\n<HEAD >x',
    '\ufeff \n<!doctype HTML >\n<HTML>\n<HEAD >|x',
  ],
  ['without html', '<head>x', '<head>|x'],
  [
    'behind comments',
    '<!-- <head> - -- --><!doctype html><!----><head>x',
    '<!-- <head> - -- --><!doctype html><!----><head>|x',
  ],
  [
    'attributes that hold brackets',
    `<html a="<head>" b='>'><head data-x=">">x`,
    `<html a="<head>" b='>'><head data-x=">">|x`,
  ],
] as const;

it.each(pages.flatMap((page) => [1, 2, 3, 7, 1_000].map((size) => [...page, size] as const)))(
  'finds the head of %s: %j → %j, in pieces of %i',
  (_, page, expected, size) => {
    expect(insert(page, size)).toBe(expected);
  },
);

it.each([
  ['a piece of a page', '<div><head>x</div>'],
  ['a header', '<!doctype html><html><header>x</header>'],
  ['a page without a head', '<!doctype html><html><body><head>'],
  ['text', 'hello <head>'],
  ['a script', '<script>"<head>"</script><head>'],
])('finds none in %s', (_, page) => {
  expect([insert(page, 1), insert(page, 1_000)]).toEqual(['none', 'none']);
});

it.each([
  ['blanks', ' '.repeat(16_000)],
  ['attributes', `<html ${' a'.repeat(8_000)}`],
  ['brackets in an attribute', `<html a="${'>'.repeat(16_000)}`],
])('looks at %s that come byte by byte a few times at most', (_, page) => {
  const exec = vi.spyOn(RegExp.prototype, 'exec');
  const findHead = createHeadFinder();
  let longest = 0;
  for (const byte of Buffer.from(page)) if (findHead(Buffer.of(byte)) === 'none') break;
  for (const [text] of exec.mock.calls) longest += text.length;
  exec.mockRestore();
  // Twice as much as one look at each byte, and 64 looks at the longest.
  expect(longest).toBeLessThan(2 * 64 * 16_000);
});

it('stops looking after 16 KiB', () => {
  expect(insert(`<!--${'x'.repeat(20_000)}--><head>`, 512)).toBe('none');
});
