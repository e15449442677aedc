import { describe, expect, it } from 'vitest';

import { chooseBucketMs } from './choose-bucket.ts';

const hour = 3_600_000;
const day = 24 * hour;
const noon = Date.UTC(2026, 10, 20, 12);

describe('chooseBucketMs', () => {
  it.each([
    ['one moment', 0, hour],
    ['60 hours less one', 59 * hour, hour],
    ['60 hours', 60 * hour, 2 * hour],
    ['a week', 7 * day, 3 * hour],
    ['90 days', 90 * day, 2 * day],
    ['20 years', 20 * 365 * day, 224 * day],
  ])('%s', (_, span, expected) => {
    expect(chooseBucketMs(noon, noon + span)).toBe(expected);
  });

  it('never needs more than 60 buckets, wherever the span begins', () => {
    for (let offset = 0; offset < 500; offset += 1) {
      const first = noon + offset * 7_919_333;
      const last = first + offset * offset * 104_729;
      const size = chooseBucketMs(first, last);
      expect(Math.floor(last / size) - Math.floor(first / size) + 1).toBeLessThanOrEqual(60);
    }
  });
});
