import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { guesses, hasOwnLine } from './repeated-lines.ts';

let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
});

afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function count(times: number, network: string, code = 'unknown-key'): number {
  return Array.from({ length: times }, () => hasOwnLine(code, network, guesses)).filter(Boolean).length;
}

it('gives the first ones a line each, and tells of the others together', () => {
  expect(count(1_500, '192.0.2.1')).toBe(5);
  expect(count(3, '192.0.2.2')).toBe(3);
  expect(count(1, '192.0.2.1', 'wrong-key')).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(lines).toEqual([
    expect.objectContaining({ event: 'requests-refused', code: 'unknown-key', more: 1_495, seconds: 10 }),
  ]);
});

it('begins anew afterwards', () => {
  count(6, '192.0.2.1');
  vi.advanceTimersByTime(10_000);
  expect(count(6, '192.0.2.1')).toBe(5);
});

it('keeps no more than a thousand apart', () => {
  for (let n = 0; n < 3_000; n += 1) hasOwnLine('unknown-key', `10.0.${n >> 8}.${n & 255}`, guesses);
  vi.advanceTimersByTime(10_000);
  expect(lines).toEqual([expect.objectContaining({ code: 'unknown-key', more: 1_995 })]);
});
