import { beforeEach, expect, it, vi } from 'vitest';

let draining: typeof import('./draining.ts');

beforeEach(async () => {
  vi.resetModules();
  draining = await import('./draining.ts');
});

it('calls who listens when it begins, and not who has stopped listening', () => {
  const [one, other] = [vi.fn(), vi.fn()];
  draining.onDraining(one);
  draining.onDraining(other)();
  expect(draining.isServerEnding()).toBe(false);
  draining.beginDraining();
  expect([draining.isServerEnding(), one.mock.calls.length, other.mock.calls.length]).toEqual([true, 1, 0]);
});

it('calls who begins to listen afterwards, too, and not before that has returned', async () => {
  draining.beginDraining();
  const [one, other] = [vi.fn(), vi.fn()];
  draining.onDraining(one);
  draining.onDraining(other)();
  expect(one).not.toHaveBeenCalled();
  await Promise.resolve();
  expect([one.mock.calls.length, other.mock.calls.length]).toEqual([1, 0]);
});
