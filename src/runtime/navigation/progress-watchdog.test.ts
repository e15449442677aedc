import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createProgressWatchdog } from './progress-watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const onStall = vi.fn<() => void>();
  return { onStall, watchdog: createProgressWatchdog(100, onStall) };
}

test('notices once when nothing happens', () => {
  const { onStall } = setUp();
  vi.advanceTimersByTime(99);
  expect(onStall).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(onStall).toHaveBeenCalledOnce();
});

test('lets what moves take its time', () => {
  const { onStall, watchdog } = setUp();
  for (let step = 0; step < 20; step += 1) {
    vi.advanceTimersByTime(99);
    watchdog.progress();
  }
  expect(onStall).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(onStall).toHaveBeenCalledOnce();
});

test('does not count while held, and counts from the beginning afterwards', () => {
  const { onStall, watchdog } = setUp();
  vi.advanceTimersByTime(50);
  watchdog.hold();
  watchdog.progress();
  vi.advanceTimersByTime(1_000);
  watchdog.resume();
  vi.advanceTimersByTime(99);
  expect(onStall).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onStall).toHaveBeenCalledOnce();
});

test('stops for good', () => {
  const { onStall, watchdog } = setUp();
  watchdog.stop();
  watchdog.progress();
  watchdog.resume();
  vi.advanceTimersByTime(1_000);
  expect(onStall).not.toHaveBeenCalled();
});
