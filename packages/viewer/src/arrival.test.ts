import { describe, expect, it } from 'vitest';

import { readArrival } from './arrival.ts';

const bytes = new Uint8Array(100);

describe('readArrival', () => {
  const arrival = readArrival({
    bytes,
    chunks: [
      { ms: 5, bytes: 40 },
      { ms: 20, bytes: 10 },
      { ms: 90, bytes: 50 },
    ],
  });

  it.each([
    [1, 5],
    [40, 5],
    [41, 20],
    [50, 20],
    [51, 90],
    [100, 90],
  ])('the byte before %i came at %i ms', (offset, ms) => {
    expect(arrival.at(offset)).toBe(ms);
  });

  it.each([
    [0, 0],
    [5, 40],
    [89, 50],
    [90, 100],
  ])('at %i ms %i bytes had come', (ms, count) => {
    expect(arrival.bytesAt(ms)).toBe(count);
  });

  it('does not run backwards when the clock does', () => {
    const back = readArrival({
      bytes,
      chunks: [
        { ms: 30, bytes: 50 },
        { ms: 10, bytes: 50 },
      ],
    });
    expect(back.at(100)).toBe(30);
    expect(back.end).toBe(30);
  });

  it('is the order of the bytes where no times are known', () => {
    const without = readArrival({ bytes, chunks: [] });
    expect([without.unit, without.end, without.at(42), without.bytesAt(42)]).toEqual(['bytes', 100, 42, 42]);
  });
});
