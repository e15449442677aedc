import { expect, test, vi } from 'vitest';

import type { PrefetchTrigger } from '#src/server/http/flight-headers.ts';

import { createPrefetchQueue, type QueueOptions } from './prefetch-queue.ts';

function setUp({
  limit = 2,
  capacity = 100,
  mayStart = () => true,
}: Partial<Pick<QueueOptions, 'limit' | 'capacity' | 'mayStart'>> = {}) {
  const started: string[] = [];
  const triggers: PrefetchTrigger[] = [];
  const ends = new Map<string, () => void>();
  const queue = createPrefetchQueue({
    limit,
    capacity,
    mayStart,
    run(key, trigger) {
      started.push(key);
      triggers.push(trigger);
      return new Promise<void>((resolve) => ends.set(key, resolve));
    },
    onChange: vi.fn<() => void>(),
  });
  async function settle() {
    await new Promise((resolve) => setImmediate(resolve));
  }
  async function end(key: string) {
    ends.get(key)?.();
    await settle();
  }
  return { queue, started, triggers, end, settle };
}

test('runs at most the limit, and the next when one ends', async () => {
  const { queue, started, end, settle } = setUp();
  for (const key of ['a', 'b', 'c']) queue.want(key, 'viewport');
  await settle();
  expect(started).toEqual(['c', 'b']);
  await end('c');
  expect(started).toEqual(['c', 'b', 'a']);
});

test('a failed run gives its place back', async () => {
  const started: string[] = [];
  const queue = createPrefetchQueue({
    limit: 1,
    capacity: 9,
    mayStart: () => true,
    run(key) {
      started.push(key);
      return Promise.reject(new Error('refused'));
    },
    onChange() {},
  });
  queue.want('a', 'viewport');
  queue.want('b', 'viewport');
  await vi.waitFor(() => expect(started).toEqual(['b', 'a']));
});

test('takes intent before viewport, and the newest of each', async () => {
  const { queue, started, triggers, end, settle } = setUp({ limit: 1 });
  queue.want('old viewport', 'viewport');
  queue.want('old intent', 'focus');
  queue.want('new intent', 'touch');
  queue.want('new viewport', 'viewport');
  await settle();
  await end('new intent');
  await end('old intent');
  await end('new viewport');
  expect(started).toEqual(['new intent', 'old intent', 'new viewport', 'old viewport']);
  expect(triggers).toEqual(['touch', 'focus', 'viewport', 'viewport']);
});

test('pointing at a waiting link brings it forward; seeing it again does not take it back', async () => {
  const { queue, started, settle } = setUp({ limit: 0 });
  queue.want('a', 'viewport');
  queue.want('a', 'hover');
  queue.want('a', 'viewport');
  await settle();
  expect(started).toEqual([]);
  // Only what was pointed at stays without a place in the viewport.
  queue.leave('a');
  expect(queue.waiting()).toEqual(['a']);
});

test('forgets a link that left the viewport, unless it was pointed at', () => {
  const { queue } = setUp({ limit: 0 });
  queue.want('seen', 'viewport');
  queue.want('wanted', 'hover');
  queue.leave('seen');
  queue.leave('wanted');
  expect(queue.waiting()).toEqual(['wanted']);
});

test('gives a waiting key away once', async () => {
  const { queue, started, settle } = setUp();
  queue.want('a', 'viewport');
  expect(queue.take('a')).toBe(true);
  expect(queue.take('a')).toBe(false);
  await settle();
  expect(started).toEqual([]);
});

test('a released place is given back once, even when its run ends later', async () => {
  const { queue, started, end, settle } = setUp({ limit: 1 });
  queue.want('a', 'viewport');
  await settle();
  expect(queue.release('a')).toBe(true);
  queue.want('a', 'hover');
  await settle();
  expect(started).toEqual(['a', 'a']);
  queue.want('b', 'viewport');
  expect(queue.running()).toEqual(['a']);
  await end('a');
  expect(queue.release('unknown')).toBe(false);
  expect(started).toEqual(['a', 'a', 'b']);
});

test('waits while a trigger is refused, and lets the other pass', async () => {
  const refused = new Set<PrefetchTrigger>(['viewport']);
  const { queue, started, settle } = setUp({ mayStart: (trigger) => !refused.has(trigger) });
  queue.want('seen', 'viewport');
  queue.want('wanted', 'hover');
  await settle();
  expect(started).toEqual(['wanted']);
  refused.clear();
  queue.pump();
  expect(started).toEqual(['wanted', 'seen']);
});

test('holds a bounded number and lets go of the oldest link that is only seen', () => {
  const { queue } = setUp({ limit: 0, capacity: 2 });
  queue.want('wanted', 'hover');
  queue.want('older', 'viewport');
  queue.want('newer', 'viewport');
  expect(queue.waiting()).toEqual(['wanted', 'newer']);
});
