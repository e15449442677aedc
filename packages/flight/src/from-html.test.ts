import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { extractFlightFromHtml, readFlightFromHtml } from './from-html.ts';

const utf8 = new TextDecoder();
const fixtures = path.join(import.meta.dirname, '../fixtures/waku-1.0.0-rc.1-production');
const tanstack = path.join(import.meta.dirname, '../fixtures/tanstack-start-1.169-production');

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

describe('TanStack Start', () => {
  test.each([
    ['rsc-basic', [1]],
    ['rsc-deferred', [1]],
    // Two server components, whose chunks are mixed: 24, 24, 19.
    ['rsc-suspense', [3, 6]],
    ['rsc-streaming', []],
  ])('%s: each server component is a payload', (file, rows) => {
    const found = readFlightFromHtml(readFileSync(path.join(tanstack, `${file}.bin`), 'utf8'));
    const flights = found.map(({ bytes }) => decodeFlight(bytes));
    expect(flights.map((flight) => flight.rows.count)).toEqual(rows);
    expect(flights.every(({ state }) => state.kind === 'complete')).toBe(true);
    expect(new Set(found.map(({ stream }) => stream)).size).toBe(rows.length);
  });

  const record = (n: number, text: string) => `$_TSR.p(()=>($R=>$R[${n}].next(${JSON.stringify(text)}))($R["tsr"]))`;
  test.each([
    ['text and base64', `${record(1, 't0:"')};${record(1, `b${btoa('Ã©')}`)};${record(1, 't"\n')}`, ['0:"é"\n']],
    ['not deferred', '($R=>$R[1].next("t0:1\\n"))($R["tsr"]);($R=>$R[1].next("t1:1\\n"))($R["tsr"])', ['0:1\n1:1\n']],
    ['cut anywhere', Array.from('0:{"a":1}\n', (letter) => record(7, `t${letter}`)).join(';'), ['0:{"a":1}\n']],
    ['a stream of something else', `${record(1, 'tHello')};${record(2, 't0:1\n')}`, ['0:1\n']],
    ['another kind of chunk', `${record(1, 'x0:1\n')}`, []],
    ['no statement', `if(0){${record(1, 't0:1\n')}}`, []],
  ])('%s', (_, code, texts) => {
    expect(readFlightFromHtml(`<script>${code}</script>`).map(({ bytes }) => utf8.decode(bytes))).toEqual(texts);
  });
});

describe('piece by piece', () => {
  /** The page up to where each piece ended. */
  function cut(html: string): string[] {
    const bytes = new TextEncoder().encode(html);
    const fromBytes = extractFlightFromHtml(bytes).map(({ endsAt }) => utf8.decode(bytes.subarray(0, endsAt)));
    expect(extractFlightFromHtml(html)).toEqual(extractFlightFromHtml(bytes));
    return fromBytes;
  }

  test('says at which byte of the page each ended', () => {
    const before = '<p>é€😀</p><script>(self.__FLIGHT_DATA||=[]).push("0:\\"é';
    const between = '\\n")</script><p>ü</p><script>(self.__FLIGHT_DATA||=[]).push(Uint8Array.from(atob("YWI=';
    expect(cut(`${before}${between}"),x=>x))</script>`)).toEqual([`${before}\\n"`, `${before}${between}"`]);
    expect(cut(next('[1,"a"]', '[3,"YQ=="]', '[3,"?"]'))).toEqual([
      '<script>self.__next_f.push([1,"a"',
      `${next('[1,"a"]')}<script>self.__next_f.push([3,"YQ=="`,
    ]);
  });

  test.each([
    path.join(tanstack, 'rsc-suspense.bin'),
    path.join(fixtures, 'home-html.flight'),
    path.join(fixtures, 'boom-html.flight'),
  ])('%s: together they are the payloads', (file) => {
    const html = readFileSync(file);
    const pieces = extractFlightFromHtml(new Uint8Array(html));
    for (const { source, stream, bytes, ends } of readFlightFromHtml(html.toString())) {
      const own = pieces.filter((piece) => piece.source === source && piece.stream === stream);
      expect(Buffer.concat(own.map((piece) => piece.bytes))).toEqual(Buffer.from(bytes));
      expect(own).toHaveLength(ends.length);
    }
    expect(pieces.length).toBeGreaterThan(0);
    expect(pieces.every(({ endsAt }, at) => endsAt > (pieces[at - 1]?.endsAt ?? 0))).toBe(true);
    expect(pieces.every(({ endsAt }) => html[endsAt - 1] === 0x22)).toBe(true);
  });

  test('a page that is not UTF-8 has offsets within it', () => {
    const bytes = new Uint8Array([...next('[1,"a"]', '[1,"b"]')].map((letter) => letter.charCodeAt(0)));
    // An é, so that bytes and characters differ; each byte that is none becomes a character of three.
    const broken = new Uint8Array([0xc3, 0xa9, ...Array.from({ length: 50 }, () => 0xff), ...bytes, 0xc3]);
    expect(extractFlightFromHtml(broken).map(({ bytes: own }) => utf8.decode(own))).toEqual(['a', 'b']);
    for (const { endsAt } of extractFlightFromHtml(broken)) expect(endsAt).toBeLessThanOrEqual(broken.length);
  });

  test('a byte order mark counts', () => {
    const html = new TextEncoder().encode(`\ufeff${next('[1,"a"]')}`);
    expect(html[(extractFlightFromHtml(html)[0]?.endsAt ?? 0) - 1]).toBe(0x22);
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
  test.each([
    '/* ',
    '/[',
    '"',
    '`${',
    '<script>',
    '<!--',
    'a="',
    '<style>',
    '(',
    '/',
    '\\',
    '<p ',
    "'",
    '<script ',
    '($R=>',
    '$_TSR.p(',
  ])('%j repeated', (text) => {
    const start = process.cpuUsage();
    readFlightFromHtml(`<script>__next_f ${text.repeat(100_000)}`);
    readFlightFromHtml(`__next_f ${text.repeat(100_000)}`);
    extractFlightFromHtml(`é<script>x.next( ${text.repeat(100_000)}`);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(1500);
  });
});
