import { describe, expect, it } from 'vitest';

import { asText, createJsonBudget, isWithin } from './untrusted-json.ts';

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
