import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { estimateCompression } from './compression.ts';

const folder = path.join(import.meta.dirname, '../fixtures');
const fixtures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(?:flight|rsc)$/.test(file),
);
const encoder = new TextEncoder();

/** Text that repeats nothing. */
function noise(length: number, seed: number): string {
  let state = seed;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += (state >>> 8).toString(36);
  }
  return text.slice(0, length);
}

describe('the whole, against gzip itself', () => {
  test.each(fixtures)('%s: within a tenth', (file) => {
    const bytes = readFileSync(path.join(folder, file));
    const real = gzipSync(bytes).length;
    expect(Math.abs(estimateCompression(bytes).total - real)).toBeLessThan(Math.max(real / 10, 20));
  });

  test('in the middle of them, within a fortieth', () => {
    const errors = fixtures
      .map((file) => readFileSync(path.join(folder, file)))
      .filter((bytes) => bytes.length > 1000)
      .map((bytes) => Math.abs(estimateCompression(bytes).total / gzipSync(bytes).length - 1))
      .toSorted((a, b) => a - b);
    expect(errors.length).toBeGreaterThan(20);
    expect(errors[errors.length >> 1]).toBeLessThan(1 / 40);
  });

  test.each([
    ['one letter', 'a'.repeat(100_000)],
    ['nothing that repeats', noise(100_000, 3)],
    ['a list', Array.from({ length: 3000 }, (_, item) => `["$","li","${item}",{"children":"item ${item}"}]`).join(',')],
    ['a repeat just within the window', noise(1000, 5) + noise(31_000, 6) + noise(1000, 5)],
    ['a repeat past the window', noise(1000, 5) + noise(33_000, 6) + noise(1000, 5)],
  ])('%s', (_, text) => {
    const bytes = encoder.encode(text);
    const real = gzipSync(bytes).length;
    expect(Math.abs(estimateCompression(bytes).total - real)).toBeLessThan(Math.max(real * 0.06, 150));
  });
});

/** As a server writes it that forgets all text before at each flush. */
function sendInPieces(pieces: readonly Uint8Array[]): number {
  const sizes = pieces.map((piece) => deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH }).length);
  return sizes.reduce((sum, size) => sum + size, 18);
}

describe('what a server flushes', () => {
  test.each(fixtures.filter((_, index) => index % 4 === 0))('%s in three pieces: within a tenth', (file) => {
    const bytes = readFileSync(path.join(folder, file));
    const cuts = [Math.floor(bytes.length / 5), Math.floor(bytes.length / 2)];
    const pieces = [bytes.subarray(0, cuts[0]), bytes.subarray(cuts[0], cuts[1]), bytes.subarray(cuts[1])];
    const real = sendInPieces(pieces);
    expect(Math.abs(estimateCompression(bytes, cuts).total - real)).toBeLessThan(Math.max(real / 10, 40));
  });

  test('a copy in another piece costs what the first did', () => {
    const text = noise(4000, 9);
    const bytes = encoder.encode(text + text);
    const first = estimateCompression(encoder.encode(text)).total;
    expect(estimateCompression(bytes, [4000]).of(4000, 8000)).toBeGreaterThan(first * 0.9);
    expect(estimateCompression(bytes).of(4000, 8000)).toBeLessThan(100);
    expect(estimateCompression(bytes, [0, 4000, 4000, 8000]).total).toBe(estimateCompression(bytes, [4000]).total);
  });
});

describe('a part', () => {
  test('costs about what the payload shrinks by without it', () => {
    const data = JSON.stringify(Array.from({ length: 300 }, (_, x) => ({ x, label: noise(12, x + 1) })));
    const page = JSON.stringify(
      Array.from({ length: 300 }, (_, x) => `a paragraph, number ${x}, with ${noise(20, x + 900)}`),
    );
    const whole = encoder.encode(page + data + page.slice(0, 3000));
    const { of } = estimateCompression(whole);
    const real = gzipSync(whole).length - gzipSync(encoder.encode(page + page.slice(0, 3000))).length;
    expect(Math.abs(of(page.length, page.length + data.length) / real - 1)).toBeLessThan(0.05);
  });

  test('that is a second copy costs next to nothing', () => {
    const text = noise(250, 9);
    const bytes = encoder.encode(text + noise(2000, 10) + text);
    const { of } = estimateCompression(bytes);
    expect(of(0, 250)).toBeGreaterThan(130);
    expect(of(2250, 2500)).toBeLessThan(4);
  });

  test('costs of parts add up to the whole, asked for in any order', () => {
    const parts = fc.array(fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('className', '["$","li",null,{')), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(parts, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (texts, cuts) => {
        const bytes = encoder.encode(texts.join(''));
        const { of, total } = estimateCompression(bytes);
        const places = [
          0,
          ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const costs = places.slice(1).map((end, index) => of(places[index] ?? 0, end));
        const again = places
          .slice(1)
          .toReversed()
          .map((end, index) => of(places.at(-2 - index) ?? 0, end));
        const sum = costs.reduce((all, part) => all + part, 0);
        expect(costs.every((part) => part >= 0)).toBe(true);
        expect(again.toReversed()).toEqual(costs);
        expect(sum).toBeCloseTo(of(0, bytes.length), 6);
        expect(Math.abs(sum - total)).toBeLessThan(20);
      }),
    );
  });

  test('of nothing is nothing', () => {
    expect(estimateCompression(new Uint8Array())).toMatchObject({ total: 0 });
    expect(estimateCompression(new Uint8Array()).of(0, 0)).toBe(0);
    expect(estimateCompression(encoder.encode('abc')).of(1, 1)).toBe(0);
  });
});
