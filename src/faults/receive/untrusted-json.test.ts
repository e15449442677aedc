import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { stripTerminalCodes } from '#report/strip-terminal-codes.ts';

import { asText, boundText, createJsonBudget, isWithin } from './untrusted-json.ts';

const encoder = new TextEncoder();
const most = createJsonBudget().partsLeft;

function spend(json: string): number {
  const budget = createJsonBudget();
  expect(isWithin(budget, encoder.encode(json))).toBe(true);
  return most - budget.partsLeft;
}

describe('what JSON costs', () => {
  it.each([
    ['{"a":1,"b":[2,3]}', 6],
    ['"[[[,,,:::{{{"', 0],
    [String.raw`["a\",\"b","\\",1]`, 3],
    ['[[]]', 2],
    ['"open', 0],
    ['', 0],
  ])('%s: %i', (json, parts) => expect(spend(json)).toBe(parts));
});

describe('a budget', () => {
  it('has room for a megabyte of text, and for exactly so many parts', () => {
    expect(spend(JSON.stringify([',:[{'.repeat(256 * 1024)]))).toBe(1);
    expect(isWithin(createJsonBudget(), encoder.encode('['.repeat(most)))).toBe(true);
    expect(isWithin(createJsonBudget(), encoder.encode('['.repeat(most + 1)))).toBe(false);
  });

  it('is one for all that is parsed', () => {
    const budget = createJsonBudget();
    const half = encoder.encode('['.repeat(most / 2));
    expect([1, 2, 3].map(() => isWithin(budget, half))).toEqual([true, true, false]);
    expect(isWithin(budget, encoder.encode('"text"'))).toBe(true);
  });
});

it('text is cut, and holds neither NUL nor the colours of a terminal', () => {
  expect(asText('\u001b[31mUnexpected\u001b[0m token\0', 100)).toBe('Unexpected token\uFFFD');
  expect(asText('x'.repeat(101), 100)).toBe('x'.repeat(100));
  expect(asText(7, 100)).toBeUndefined();
});

/** The reference: all three passes over every text, and the longest beginning that fits, by trying each. */
function boundPlainly(text: string, limit: number): string {
  const plain = stripTerminalCodes(text.slice(0, limit))
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])\p{Cc}/gu, '\uFFFD');
  let kept = '';
  for (const character of plain) {
    if (Buffer.byteLength(JSON.stringify(kept + character)) - 2 > limit) break;
    kept += character;
  }
  return kept;
}

it('a text without anything unusual is bounded as every other one', () => {
  const odd = [
    '\u0000',
    '\t',
    '\n',
    '\r',
    '\u001f',
    '\u007f',
    '\u0080',
    '\u009b1m',
    '\u001b[31m',
    '\ud83d',
    '\udc00',
    '😀',
    'é',
  ];
  const text = array(constantFrom(...odd, ' ', '~', '"', '\\', 'a', 'plain text'), { maxLength: 12 });
  const anything = array(integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
  assert(
    property(text, anything, integer({ min: 0, max: 40 }), (words, any, limit) => {
      for (const one of [words.join(''), any]) expect(boundText(one, limit)).toBe(boundPlainly(one, limit));
    }),
  );
});
