import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { readDigestsFromHtml } from './html-digests.ts';

describe('digests of a page', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a boundary that failed at once',
      '<!--$!--><template data-dgst="AB12C-DE34F"></template>f<!--/$-->',
      ['AB12C-DE34F'],
    ],
    ['with more attributes', '<template data-cid="x" data-dgst="1930860604" data-msg="m"></template>', ['1930860604']],
    ['one that failed later', '<script>$RX("B:0","2338734591@E394")</script>', ['2338734591@E394']],
    [
      'with the runtime before it',
      '<script id="_R_">$RX=function(b,c){};$RX("B:1","a\\u003cb","x","y")</script>',
      ['a<b'],
    ],
    [
      'for a runtime loaded from elsewhere',
      '<template data-rxi="" data-bid="B:0" data-dgst="abc"></template>',
      ['abc'],
    ],
    ['of Next’s development', '<template data-next-error-message="m" data-next-error-digest="42"></template>', ['42']],
    ['with entities', '<template data-dgst="a&amp;b&quot;c&#x27;d"></template>', ['a&b"c\'d']],
    [
      'in the order of the page, each once',
      '<template data-dgst="1"></template><script>$RX("B:0","3");$RX("B:1","1")</script><template data-dgst="2"></template>',
      ['1', '3', '2'],
    ],
    ['none', '<template></template><template data-dgst=""></template><script>$RX("B:0","")</script>', []],
    ['text', '&lt;template data-dgst="1"&gt; $RX("B:0","1") <script type="text/plain">$RX("B:0","1")</script>', []],
    ['another attribute', '<template data-dgst2="1" x-data-dgst="1"></template><p data-dgst="1"></p>', []],
    ['nothing', '', []],
  ])('%s', (_, html, digests) => {
    expect(readDigestsFromHtml(html)).toEqual(digests);
  });

  test('at most 100, none longer than 1000 characters', () => {
    const many = Array.from({ length: 300 }, (_, n) => `<template data-dgst="${n}"></template>`).join('');
    expect(readDigestsFromHtml(many)).toHaveLength(100);
    expect(readDigestsFromHtml(`<template data-dgst="${'x'.repeat(1001)}"></template>`)).toEqual([]);
    expect(readDigestsFromHtml(`<script>$RX("B:0","${'x'.repeat(1001)}")</script>`)).toEqual([]);
  });

  test('a real page that failed', () => {
    const file = path.join(import.meta.dirname, '../fixtures/waku-1.0.0-rc.1-production/boom-html.flight');
    expect(readDigestsFromHtml(readFileSync(file, 'utf8'))).toEqual(['my-digest-1']);
  });

  test.each([
    '<template ',
    '<template data-dgst="',
    '<script>$RX("',
    '<script>$RX("B:0","\\\\',
    '$RX(',
    '<template a ',
  ])('%j repeated takes no longer than its length', (text) => {
    const start = process.cpuUsage();
    readDigestsFromHtml(text.repeat(100_000));
    readDigestsFromHtml(`<template ${'data-dgst '.repeat(100_000)}`);
    readDigestsFromHtml(`<script>${text.repeat(100_000)}</script>`);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(1500);
  });
});
