import { describe, expect, it } from 'vitest';

import { panRange, readTicks, selectRange, zoomRange } from './zoom-range.ts';

describe('zoomRange', () => {
  it('keeps the place under the pointer', () => {
    expect(zoomRange({ from: 0, to: 100 }, 100, 2, 0.25)).toEqual({ from: 12.5, to: 62.5 });
  });

  it('shows everything at most', () => {
    expect(zoomRange({ from: 20, to: 40 }, 100, 0.01)).toEqual({ from: 0, to: 100 });
  });

  it('stops where there is nothing more to see', () => {
    const { from, to } = zoomRange({ from: 50, to: 51 }, 100, 1e9);
    expect(to - from).toBeCloseTo(0.01);
  });
});

describe('panRange', () => {
  it('stops at the ends', () => {
    expect(panRange({ from: 10, to: 30 }, 100, -1)).toEqual({ from: 0, to: 20 });
    expect(panRange({ from: 70, to: 90 }, 100, 1)).toEqual({ from: 80, to: 100 });
  });
});

describe('selectRange', () => {
  it('takes two places in either order', () => {
    expect(selectRange(60, 20, 100)).toEqual({ from: 20, to: 60 });
  });
});

describe('readTicks', () => {
  it.each([
    [0, 1, 0.2],
    [0, 47, 10],
    [900, 1300, 100],
    [0, 5_000_000, 1_000_000],
  ])('from %i to %i goes in steps of %f', (from, to, step) => {
    const ticks = readTicks({ from, to });
    expect((ticks[1] ?? 0) - (ticks[0] ?? 0)).toBeCloseTo(step);
    expect(ticks.every((tick) => tick >= from && tick <= to)).toBe(true);
  });
});
