import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { takeSignals } from './signals.ts';

let got: NodeJS.Signals[];
let giveBack: () => void;

beforeEach(() => {
  got = [];
  vi.useFakeTimers({ toFake: ['performance'] });
  giveBack = takeSignals((signal) => got.push(signal));
});

afterEach(() => {
  giveBack();
  vi.useRealTimers();
});

it('takes each signal, and the same one again only when it was sent again', () => {
  process.emit('SIGINT', 'SIGINT');
  process.emit('SIGINT', 'SIGINT');
  process.emit('SIGTERM', 'SIGTERM');
  expect(got).toEqual(['SIGINT', 'SIGTERM']);
  vi.advanceTimersByTime(499);
  process.emit('SIGINT', 'SIGINT');
  expect(got).toHaveLength(2);
  vi.advanceTimersByTime(500);
  process.emit('SIGINT', 'SIGINT');
  expect(got).toEqual(['SIGINT', 'SIGTERM', 'SIGINT']);
});

it('takes none after it was given back', () => {
  const before = process.listenerCount('SIGHUP');
  giveBack();
  expect(process.listenerCount('SIGHUP')).toBe(before - 1);
});
