import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { maxDepth, readJson, type JsonResult } from './json-tape.ts';
import { readRow } from './row.ts';
import { readRowAsJson } from './value-to-json.ts';
import { createTape } from './tape.ts';

const encoder = new TextEncoder();

function read(text: string): JsonResult {
  const bytes = encoder.encode(text);
  return readJson(createTape(bytes.length), bytes, 0, bytes.length, true);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('JSON', () => {
  test('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const flight = decodeFlight(encoder.encode(`0:${text}\n`));
        // Kinds of Flight (`$…` strings) are other tests' matter.
        fc.pre(!text.includes('"$') && !text.includes('__proto__') && !text.includes('-0'));
        expect(readRowAsJson(flight, 0)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('numbers are what JSON.parse makes of them', () => {
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,18})(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const flight = decodeFlight(encoder.encode(`0:${text}\n`));
        expect(readRow(flight, 0)).toMatchObject({ value: { kind: 'number', value: JSON.parse(text) } });
      }),
      { numRuns: 2000 },
    );
  });

  test('is accepted when JSON.parse accepts it, however it is changed', () => {
    const change = fc.record({
      text: fc.json(),
      at: fc.nat(),
      by: fc.constantFrom(
        '',
        ',',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        ':',
        '0',
        '-',
        '.',
        'e',
        'u',
        ' ',
        't',
        'null',
        '\t',
        '\u0001',
      ),
      drop: fc.nat(2),
    });
    fc.assert(
      fc.property(change, ({ text, at, by, drop }) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + by + text.slice(place + drop);
        const result = read(changed);
        expect([changed, result.kind === 'read']).toEqual([changed, isJson(changed)]);
        expect(result.at).toBeLessThanOrEqual(encoder.encode(changed).length);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['', 0],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['"a\nb"', 2],
    ['"a\u0011b"', 2],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    ['01', 1],
    ['1.', 2],
    ['nul', 0],
    ['1 1', 2],
    ['[1', 2],
    ['"a', 2],
    ['{"a":1}}', 7],
  ])('%j is broken at byte %d', (text, at) => {
    expect(read(text)).toMatchObject({ kind: 'broken', at });
  });

  test('a value is not read past its row', () => {
    const bytes = encoder.encode('nullx"abc"12');
    for (const [start, end] of [
      [0, 3],
      [5, 8],
    ] as const) {
      expect(readJson(createTape(64), bytes, start, end, true)).toMatchObject({ kind: 'broken' });
    }
  });

  test('as many levels as the limit, and no more', () => {
    expect(read('['.repeat(maxDepth) + ']'.repeat(maxDepth)).kind).toBe('read');
    expect(read('['.repeat(maxDepth + 2) + ']'.repeat(maxDepth + 2))).toMatchObject({
      at: maxDepth,
      reason: `more than ${maxDepth} levels deep`,
    });
  });
});
