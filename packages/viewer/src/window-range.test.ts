import { describe, expect, it } from 'vitest';

import { readWindowRange, scrollToLine } from './window-range.ts';

const small = { count: 100, lineHeight: 20, viewHeight: 200 };
/** 100 million pixels. */
const huge = { count: 5_000_000, lineHeight: 20, viewHeight: 200 };

describe('readWindowRange', () => {
  it('draws what is seen and a little around it', () => {
    expect(readWindowRange(small, 1000)).toEqual({ from: 42, to: 68, offset: 840, height: 2000 });
  });

  it('ends with the list', () => {
    expect(readWindowRange(small, 1800)).toMatchObject({ from: 82, to: 100 });
    expect(readWindowRange({ ...small, count: 0 }, 0)).toEqual({ from: 0, to: 0, offset: 0, height: 0 });
  });

  it('reaches the last line of a list that is taller than browsers draw', () => {
    const { height } = readWindowRange(huge, 0);
    expect(height).toBe(15_000_000);
    const { from, to, offset } = readWindowRange(huge, 15_000_000 - huge.viewHeight);
    expect(to).toBe(huge.count);
    // The last line ends where the list ends.
    expect(offset + (to - from) * huge.lineHeight).toBeCloseTo(15_000_000, 3);
  });
});

describe('scrollToLine', () => {
  it('stays where the line is in view', () => {
    expect(scrollToLine(small, 1000, 55)).toBe(1000);
  });

  it('moves as little as shows the line', () => {
    expect(scrollToLine(small, 1000, 10)).toBe(200);
    expect(scrollToLine(small, 1000, 90)).toBe(1620);
  });

  it.each([0, 17, 2_500_000, 4_999_999])('shows line %i of a list that is taller than browsers draw', (line) => {
    const scrollTop = scrollToLine(huge, 7_000_000, line);
    const { from, offset } = readWindowRange(huge, scrollTop);
    const top = offset + (line - from) * huge.lineHeight - scrollTop;
    expect(top).toBeGreaterThanOrEqual(-1);
    expect(top).toBeLessThanOrEqual(huge.viewHeight - huge.lineHeight + 1);
  });
});
