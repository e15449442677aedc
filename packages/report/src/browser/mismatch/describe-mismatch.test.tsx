import { expect, it } from 'vitest';

import { describeMismatch } from './describe-mismatch.ts';

function parse(html: string): Node[] {
  const holder = document.createElement('div');
  holder.innerHTML = html;
  return [...holder.childNodes];
}

function describe(server: string, browser: string) {
  return describeMismatch([{ parent: document.body, removed: parse(server), added: parse(browser) }]);
}

it('finds the first text that differs, through what React passes over', () => {
  const server =
    '<main><!--$--><script>x()</script><h1 id="top">Hello <!-- -->Ada</h1><p>Total 1</p><p>2</p><!--/$--></main>';
  expect(describe(server, '<main><h1 id="top">Hello Ada</h1><p>Total 7</p><p>3</p></main>')).toEqual({
    kind: 'text',
    where: 'body:nth-child(2) > main:nth-child(1) > p:nth-child(2)',
    server: 'Total 1',
    browser: 'Total 7',
    cause: 'random',
  });
});

it('tells a little around what differs, and stays below 2 kB', () => {
  const long = '語'.repeat(5_000);
  const found = describe(`<p>${long}1${long}</p>`, `<p>${long}2${long}</p>`);
  expect(found?.server).toBe(`…${'語'.repeat(24)}1${'語'.repeat(24)}…`);
  const id = '語'.repeat(300);
  const deep = `<a id="${id}"><b id="${id}"><i id="${id}">`;
  const all = describe(`${deep}${long}`, `${deep}${'本'.repeat(9_000)}`);
  expect(new TextEncoder().encode(JSON.stringify(all)).length).toBeLessThan(2_048);
});

it('names an element that only one side has, and the attribute where all else is the same', () => {
  expect(describe('<ul><li>1</li></ul>', '<ul><li>1</li><li class="more">2</li></ul>')).toMatchObject({
    kind: 'element',
    server: '',
    browser: '<li class="more">2',
    cause: 'one-side',
  });
  expect(describe('<p class="light">a</p>', '<p class="dark">a</p>')).toMatchObject({
    kind: 'attribute',
    server: 'class="light"',
    browser: 'class="dark"',
  });
  expect(describe('<p class="light">a</p>', '<p class="dark">b</p>')).toMatchObject({ kind: 'text' });
});

it('tells nothing that was typed, and nothing where nothing differs', () => {
  expect(describe('<input value="hunter2"><p>a</p>', '<input value="x"><p>a</p>')).toBeUndefined();
});

it.each([
  ['extension', '<p>a</p><grammarly-card></grammarly-card>', '<p>a</p>'],
  ['extension', '<p data-gr-c-s-loaded="true">a</p>', '<p>a</p>'],
  ['extension', '<p><font>Hallo</font></p>', '<p>Hello</p>'],
  ['time', '<p>10:41:07</p>', '<p>10:41:09</p>'],
  ['time', '<p>3 seconds ago</p>', '<p>5 seconds ago</p>'],
  ['time-zone', '<p>11/26/2026, 22:41</p>', '<p>11/27/2026, 07:41</p>'],
  ['locale', '<p>1,234.5</p>', '<p>1.234,5</p>'],
  ['locale', '<p>3/14/2026</p>', '<p>14.3.2026</p>'],
  ['random', '<p>0.8134</p>', '<p>0.2271</p>'],
  ['random', '<p id="6f1c9a3e-1b2c">a</p>', '<p id="77aa0b1c-9f8e">a</p>'],
  ['one-side', '<p>Sign in</p>', '<p>Sign in</p><p>Ada</p>'],
  ['unknown', '<p>Sign in</p>', '<p>Hello Ada</p>'],
])('guesses that it is %s: %s → %s', (cause, server, browser) => {
  expect(describe(server, browser)?.cause).toBe(cause);
});
