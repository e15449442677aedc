import { describe, expect, it } from 'vitest';

import { countColumns, fitColumns } from './columns.ts';

describe('columns', () => {
  it.each([
    ['plain text, with … and ×', 24],
    ['Ünïcode', 7],
    ['日本語', 6],
    ['한국어 (Korean)', 15],
    ['ｆｕｌｌ', 8],
    ['ﾊﾝｶｸ', 4],
    ['Ελληνικά', 8],
    // A letter with its mark apart, and one with two.
    ['e\u0301', 1],
    ['a\u0323\u0302b', 2],
    ['か\u3099', 2],
    ['\u0301', 0],
    ['🚀 up', 5],
    ['👍🏽', 2],
    ['🇩🇪', 2],
    ['🇩', 1],
    // Text unless a selector asks for the emoji.
    ['☀', 1],
    ['☀\ufe0f', 2],
    ['𠮷', 2],
    ['', 0],
  ])('of %j are %i', (text, columns) => {
    expect(countColumns(text)).toBe(columns);
  });
});

describe('a text that is too wide', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['日本語', 6, '日本語'],
    ['日本語で', 6, '日本…'],
    ['a日本語', 6, 'a日本…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['ab🇩🇪', 4, 'ab🇩🇪'],
    ['abc🇩🇪', 4, 'abc…'],
    ['', 4, ''],
  ])('%j in %i columns is %j', (text, width, fitted) => {
    expect(fitColumns(text, width)).toBe(fitted);
    expect(countColumns(fitted)).toBeLessThanOrEqual(width);
  });

  it('ends though its marks would not', () => {
    const marks = `a${'\u0301'.repeat(1_000_000)}`;
    expect(fitColumns(marks, 10).length).toBeLessThan(200);
    expect(fitColumns('日'.repeat(1_000_000), 10)).toBe('日日日日…');
  });
});
