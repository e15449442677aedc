import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { parseRetryAfter } from './viewport-permission.ts';

beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['0', 0],
  ['60', 60_000],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['999999', 300_000],
  ['Fri, 01 Jan 2027 00:00:00 GMT', 300_000],
  ['99999999999999999999', 30_000],
  ['soon', 30_000],
  ['', 30_000],
  [null, 30_000],
])('Retry-After %j is %i ms', (header, ms) => {
  expect(parseRetryAfter(header)).toBe(ms);
});
