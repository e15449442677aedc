import { expect, test } from 'vitest';

import { escapeText, toPlainJson } from './escape-text.ts';

/** All that Unicode has below the planes that are not assigned. */
const everything = Array.from({ length: 0xf_0000 }, (_, code) => code);

/** From, to: C0; DEL and C1; soft hyphen; direction and joiners; separators; the same again; no width; halves; tags. */
const ranges = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2064],
  [0x2066, 0x206f],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0020, 0xe007f],
] as const;

test('nothing that a terminal or a log viewer acts on, or does not show, is left', () => {
  const left = new Set(everything.map((code) => escapeText(String.fromCodePoint(code))));
  const hostile = ranges.flatMap(([from, to]) => everything.slice(from, to + 1));
  expect(hostile.filter((code) => left.has(String.fromCodePoint(code)))).toEqual([]);
});

test('what people write stays', () => {
  const text = 'Grüße, שלום, مرحبا, 你好, \u00a0 ½ 👍 e\u0301 \\u001b "…"';
  expect(escapeText(text)).toBe(text);
});

test('JSON keeps its value', () => {
  const text = everything.map((code) => String.fromCharCode(code)).join('');
  const value = { [text]: [text, 1, null] };
  expect(JSON.parse(toPlainJson(value))).toEqual(value);
  expect(toPlainJson('\u{e0041}\u009b')).toBe(String.raw`"\udb40\udc41\u009b"`);
});
