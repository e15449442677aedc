import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createPrefetchStore } from './prefetch-store.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

function setUp(capacity = 100) {
  return createPrefetchStore<string>({ capacity, lifetimesMs: { static: 300, dynamic: 30 }, onChange() {} });
}

test('finds a page from the moment it is asked for', () => {
  const store = setUp();
  expect(store.find('a')).toEqual({ found: 'no' });
  store.add('a', 'page');
  vi.advanceTimersByTime(1_000);
  expect(store.find('a')).toEqual({ found: 'fresh', value: 'page' });
});

test.each([
  ['dynamic', 30],
  ['static', 300],
] as const)('keeps a %s page for %i ms from its response', (kind, lifetime) => {
  const store = setUp();
  const report = store.add('a', 'page');
  vi.advanceTimersByTime(1_000);
  report.answered(kind);
  vi.advanceTimersByTime(lifetime - 1);
  expect(store.find('a').found).toBe('fresh');
  expect(store.entries()).toEqual([{ key: 'a', kind, expiresAt: 1_001_000 + lifetime }]);
  vi.advanceTimersByTime(1);
  expect(store.entries()).toEqual([]);
  expect(store.find('a').found).toBe('expired');
  expect(store.find('a').found, 'said once').toBe('no');
});

test('a failed request leaves nothing, and does not take a newer entry with it', () => {
  const store = setUp();
  const first = store.add('a', 'first');
  store.add('a', 'second');
  first.failed();
  expect(store.find('a')).toEqual({ found: 'fresh', value: 'second' });
  store.add('b', 'only').failed();
  expect(store.find('b')).toEqual({ found: 'no' });
});

test('changed data takes dynamic pages and those on their way, and leaves static ones', () => {
  const store = setUp();
  store.add('dynamic', 'page').answered('dynamic');
  store.add('static', 'page').answered('static');
  const late = store.add('on its way', 'page');
  store.clearDynamic();
  late.answered('dynamic');
  expect(store.find('dynamic').found).toBe('no');
  expect(store.find('on its way').found).toBe('no');
  expect(store.find('static').found).toBe('fresh');
});

test('holds a bounded number: expired pages go first, then the oldest', () => {
  const store = setUp(2);
  store.add('static', 'page').answered('static');
  store.add('expired', 'page').answered('dynamic');
  vi.advanceTimersByTime(50);
  store.add('new', 'page');
  expect(store.find('static').found).toBe('fresh');
  store.add('newer', 'page');
  expect(store.find('static').found).toBe('no');
  expect(store.find('new').found).toBe('fresh');
});
