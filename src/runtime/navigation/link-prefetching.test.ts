import { beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => vi.resetModules());

// Nothing is read of it here.
const link: Element = Object.create(null);

it('observes the links that were there before it began, and those that come later', async () => {
  const { observeLink, prefetchLink, startPrefetching } = await import('./link-prefetching.ts');
  const stop = vi.fn();
  const by = { observeViewport: vi.fn(() => stop), prefetch: vi.fn() };
  const leaveEarly = observeLink(link, '/early');
  observeLink(link, '/gone')();
  prefetchLink('/early', 'hover');
  startPrefetching(by);
  expect(by.observeViewport.mock.calls).toEqual([[link, '/early']]);
  const leaveLater = observeLink(link, '/later');
  expect(by.observeViewport).toHaveBeenLastCalledWith(link, '/later');
  prefetchLink('/later', 'focus');
  expect(by.prefetch.mock.calls).toEqual([['/later', 'focus']]);
  leaveEarly();
  leaveLater();
  expect(stop).toHaveBeenCalledTimes(2);
});
