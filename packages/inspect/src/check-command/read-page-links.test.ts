import { expect, it } from 'vitest';

import { readPageLinks } from './read-page-links.ts';

const page = new URL('http://shop.example/');

function read(html: string): readonly string[] {
  return readPageLinks(html, page).pages.map(({ pathname }) => pathname);
}

it('reads the links of a page, however many elements are closed or never are', () => {
  const closed = '<p>a<br><img></p>'.repeat(10_000);
  expect(read(`${closed}<a href="/late">late</a><a href="/late#part">same</a>`)).toEqual(['/late']);
});

it('reads no further than browsers nest, so that a hostile page takes no minutes', () => {
  expect(read(`<a href="/first">first</a>${'<div>'.repeat(400_000)}<a href="/deep">deep</a>`)).toEqual(['/first']);
});
