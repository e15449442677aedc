import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Enhancer } from './hold-requests.ts';

type Next = Parameters<Enhancer>[0];
type Options = Parameters<Next>[2];

const options: Options = { type: 'rsc', fetch };
const seen: string[] = [];
let release: () => void = () => undefined;
let isMissing = false;

beforeEach(() => {
  vi.resetModules();
  seen.length = 0;
  isMissing = false;
  const released = new Promise<void>((resolve) => (release = resolve));
  vi.doMock('./late-parts.tsx', async () => {
    await released;
    if (isMissing) throw new Error('not there');
    const { takeIntent } = await import('#src/runtime/navigation/request-intent.ts');
    const enhance: Enhancer = (next) => (path, params, given) => {
      seen.push(`late ${takeIntent()?.type ?? 'none'}`);
      return next(path, params, given);
    };
    return { enhance };
  });
});

afterEach(() => vi.useRealTimers());

const next: Next = (path) => {
  seen.push(path);
  return Promise.resolve({ elements: {} });
};

async function load() {
  const intents = await import('#src/runtime/navigation/request-intent.ts');
  return { ...(await import('./hold-requests.ts')), ...intents };
}

it('holds an early request until the rest is loaded, and keeps who asked for it', async () => {
  const { holdRequests, withIntent, takeIntent } = await load();
  const answer = withIntent({ type: 'navigate', href: '/a', history: 'push' }, () =>
    holdRequests(next)('R/a.txt', new URLSearchParams(), options),
  );
  await Promise.resolve();
  expect(seen).toEqual([]);
  expect(takeIntent()).toBeUndefined();
  release();
  await answer;
  expect(seen).toEqual(['late navigate', 'R/a.txt']);
});

it('passes a request on as it is once the rest has registered its own enhancers', async () => {
  const { holdRequests, noteMounted, withIntent, takeIntent } = await load();
  noteMounted(true);
  const kept = await withIntent({ type: 'stay' }, async () => {
    await holdRequests(next)('R/a.txt', undefined, options);
    return takeIntent();
  });
  expect(seen).toEqual(['R/a.txt']);
  expect(kept).toBeUndefined();
});

it('uses what is loaded and not mounted at once', async () => {
  const { holdRequests } = await load();
  release();
  await holdRequests(next)('R/a.txt', undefined, options);
  void holdRequests(next)('R/b.txt', undefined, options);
  expect(seen).toEqual(['late none', 'R/a.txt', 'late none', 'R/b.txt']);
});

it('sends the request as Waku does when the rest cannot be loaded, and asks for it again', async () => {
  const { holdRequests } = await load();
  isMissing = true;
  release();
  await holdRequests(next)('R/a.txt', undefined, options);
  expect(seen).toEqual(['R/a.txt']);
  isMissing = false;
  await holdRequests(next)('R/b.txt', undefined, options);
  expect(seen).toEqual(['R/a.txt', 'late none', 'R/b.txt']);
});

it('does not wait longer than for a server that is silent', async () => {
  const { holdRequests } = await load();
  vi.useFakeTimers();
  const answer = holdRequests(next)('R/a.txt', undefined, options);
  await vi.advanceTimersByTimeAsync(3_799);
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await answer;
  expect(seen).toEqual(['R/a.txt']);
});
