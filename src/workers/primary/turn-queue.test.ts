import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createTurnQueue } from './turn-queue.ts';

let begun: number[];

function open() {
  return createTurnQueue((worker) => void begun.push(worker), 1_000);
}

beforeEach(() => {
  begun = [];
  vi.useFakeTimers();
});

afterEach(() => void vi.useRealTimers());

it('gives the turn to one after the other, in the order in which they asked', () => {
  const queue = open();
  for (const worker of [1, 2, 3]) queue.want(worker);
  expect(begun).toEqual([1]);
  queue.giveBack(1);
  expect(begun).toEqual([1, 2]);
  queue.want(1);
  queue.giveBack(2);
  queue.giveBack(3);
  expect(begun).toEqual([1, 2, 3, 1]);
});

it('takes the turn of a worker that has ended, with it or before it', () => {
  const queue = open();
  for (const worker of [1, 2, 3]) queue.want(worker);
  queue.forget(2);
  queue.forget(1);
  expect(begun).toEqual([1, 3]);
});

it('ends a turn that lasts too long, and lets nobody give back that of another', () => {
  const queue = open();
  for (const worker of [1, 2, 3]) queue.want(worker);
  vi.advanceTimersByTime(999);
  expect(begun).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(begun).toEqual([1, 2]);
  queue.giveBack(1);
  expect(begun).toEqual([1, 2]);
  queue.giveBack(2);
  expect(begun).toEqual([1, 2, 3]);
  vi.advanceTimersByTime(999);
  queue.giveBack(3);
  vi.advanceTimersByTime(10_000);
  queue.want(1);
  expect(begun).toEqual([1, 2, 3, 1]);
});

it('knows two turns of a worker apart, the first of which was too long', () => {
  const queue = open();
  queue.want(1);
  vi.advanceTimersByTime(1_000);
  queue.want(1);
  queue.want(2);
  expect(begun).toEqual([1, 1]);
  queue.giveBack(1);
  expect(begun).toEqual([1, 1]);
  queue.giveBack(1);
  expect(begun).toEqual([1, 1, 2]);
});

it('believes nobody who has no turn', () => {
  const queue = open();
  queue.want(1);
  queue.want(2);
  queue.giveBack(2);
  expect(begun).toEqual([1]);
});
