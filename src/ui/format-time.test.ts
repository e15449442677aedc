import { afterEach, describe, expect, it, vi } from 'vitest';

import { formatAge, formatClock, formatLocal, formatOffset, formatUtc } from './format-time.ts';

const time = Date.UTC(2026, 10, 21, 0, 8, 9, 45);

describe('absolute times', () => {
  it('are in UTC', () => {
    expect(formatUtc(time)).toBe('2026-11-21 00:08:09 UTC');
    expect(formatClock(time)).toBe('00:08:09.045');
  });

  it('are shown of any number that somebody sent', () => {
    expect(formatUtc(Number.MAX_SAFE_INTEGER)).toContain('275760');
    expect(formatClock(-Number.MAX_SAFE_INTEGER)).toContain(':');
  });
});

describe('the time where the reader is', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [0, undefined],
    [-330, '05:38:09 local'],
    [180, '11-20 21:08:09 local'],
    [-1_440, '11-22 00:08:09 local'],
  ])('is, %i minutes from UTC, %s', (minutes, text) => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(minutes);
    expect(formatLocal(time)).toBe(text);
  });
});

describe('formatAge', () => {
  it('counts from now', () => {
    expect(formatAge(time, time + 190_000)).toBe('3 min ago');
    expect(formatAge(time, time + 7_310)).toBe('7 s ago');
  });

  it('does not show a future', () => {
    expect(formatAge(time, time - 60_000)).toBe('just now');
  });
});

describe('formatOffset', () => {
  it('shows the direction', () => {
    expect(formatOffset(-1_200)).toBe('−1.2 s');
    expect(formatOffset(30)).toBe('+30 ms');
  });
});
