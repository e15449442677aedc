import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { readFlightFromHtml } from './from-html.ts';

const utf8 = new TextDecoder();
const fixtures = path.join(import.meta.dirname, '../fixtures/waku-1.0.0-rc.1-production');

/** The text of the one payload in a page. */
function readOne(html: string): string {
  const found = readFlightFromHtml(html);
  expect(found).toHaveLength(1);
  return utf8.decode(found[0]?.bytes);
}

function next(...items: string[]): string {
  return items.map((item) => `<script>self.__next_f.push(${item})</script>`).join('');
}

describe('Waku’s own pages', () => {
  test.each(['home-html', 'boom-html', 'home-formpost'])('%s', (file) => {
    const [found] = readFlightFromHtml(readFileSync(path.join(fixtures, `${file}.flight`), 'utf8'));
    expect(found?.source).toBe('rsc-html-stream');
    const flight = decodeFlight(found?.bytes ?? new Uint8Array());
    expect(flight.state).toEqual({ kind: 'complete' });
    expect(flight.rows.count).toBe(10);
  });
});

describe('Next.js', () => {
  test('text, bytes and form state, rows cut anywhere', () => {
    const html = `<script>(self.__next_f=self.__next_f||[]).push([0])</script>${next('[2,{"a":1}]', '[1,"1:T6,"]', '[1,"\\u003cé"]', '[3,"IT4="]', String.raw`[1,"\n0:\"$1\"\n"]`)}`;
    // T6 is "<é" (three bytes), "!>" (as bytes) and a newline.
    const flight = decodeFlight(readFlightFromHtml(html)[0]?.bytes ?? new Uint8Array());
    expect(flight.state).toEqual({ kind: 'complete' });
    expect(utf8.decode(flight.bytes)).toBe('1:T6,<é!>\n0:"$1"\n');
  });

  test('a character cut in two is whole again', () => {
    const [found] = readFlightFromHtml(next('[1,"0:\\""]', '[3,"w6k="]', '[1,"\\"\\n"]'));
    expect(utf8.decode(found?.bytes)).toBe('0:"é"\n');
    expect(found?.ends).toEqual([3, 5, 7]);
  });

  test('one script with many, as a minifier writes them', () => {
    expect(
      readOne('<script>self.__next_f.push([1,"a"]),self.__next_f.push([1,"b"]);self.__next_f.push([1,"c"])</script>'),
    ).toBe('abc');
  });

  test('base64 that is none is counted', () => {
    expect(readFlightFromHtml(next('[1,"a"]', '[3,"?"]'))).toMatchObject([{ broken: 1 }]);
  });
});

describe('rsc-html-stream', () => {
  test.each([
    ['(self.__FLIGHT_DATA||=[]).push("0:1\\n")', '0:1\n'],
    ['(self.__FLIGHT_DATA ||= []).push(\'0:"a"\\n\')', '0:"a"\n'],
    ['(window.__FLIGHT_DATA=window.__FLIGHT_DATA||[]).push("a")', 'a'],
    ['(self.__FLIGHT_DATA||=[]).push(Uint8Array.from(atob("YWI="), m => m.codePointAt(0)))', 'ab'],
    [
      '(self.__FLIGHT_DATA||=[]).push(Uint8Array.from(atob("YWI="),(c)=>c.charCodeAt(0)));(self.__FLIGHT_DATA||=[]).push("c");',
      'abc',
    ],
    [String.raw`(self.__FLIGHT_DATA||=[]).push("<\!--<\/script>\u003c!--")`, '<!--</script><!--'],
    [
      String.raw`(self.__FLIGHT_DATA||=[]).push("\x41\u{1f600}\0\'\
")`,
      "A😀\0'",
    ],
  ])('%s', (code, text) => {
    expect(readOne(`<p>x</p><script nonce="a>b">${code}</script>`)).toBe(text);
  });
});

describe('what is no payload', () => {
  const push = '(self.__FLIGHT_DATA||=[]).push("no")';
  test.each([
    ['a comment', `<!-- <script>${push}</script> -->`],
    ['a style', `<style><script>${push}</script></style>`],
    ['a template', `<template><script>${push}</script></template>`],
    ['a block of data', `<script type="application/json">${push}</script>`],
    ['an attribute', `<p title="<script>${push}</script>">x</p>`],
    ['a string', `<script>var x = '${push}'; __FLIGHT_DATA</script>`],
    ['a template literal', `<script>var x = \`\${a};${push}\`</script>`],
    ['a comment of the script', `<script>/*\n;${push}\n*/ // ;${push}\n</script>`],
    ['a regular expression', `<script>var x = /;"/; var y = ";${push}"</script>`],
    ['a function', `<script>function f(){;${push}}</script>`],
    ['other code', '<script>d.push("__FLIGHT_DATA")</script>'],
    ['no script', 'plain text'],
    ['nothing', ''],
  ])('%s', (_, html) => {
    expect(readFlightFromHtml(html)).toEqual([]);
  });

  test('a quoted push within a payload is its text', () => {
    const text = `;${push};`;
    expect(readOne(`<script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(text)})</script>`)).toBe(text);
  });

  test('an end tag within a script’s comment ends no script', () => {
    expect(readOne(`<script><!-- <script>x</script>\n${push}\n--></script>`)).toBe('no');
  });
});

describe('hostile pages', () => {
  test.each(['/* ', '/[', '"', '`${', '<script>', '<!--', 'a="', '<style>', '(', '/', '\\', '<p ', "'", '<script '])(
    '%j repeated',
    (text) => {
      const start = process.cpuUsage();
      readFlightFromHtml(`<script>__next_f ${text.repeat(100_000)}`);
      readFlightFromHtml(`__next_f ${text.repeat(100_000)}`);
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1000).toBeLessThan(1500);
    },
  );
});
