import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createBuckets, divideLimits, type TakeToken } from './token-bucket.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  divideLimits(1);
  vi.useRealTimers();
});

const limits = { own: { size: 6, perSecond: 1 }, shared: { size: 12, perSecond: 2 } };

/** How many get through at once. @param addresses one sender, or one for each */
function countTaken(take: TakeToken, addresses: (attempt: number) => string): number {
  let taken = 0;
  for (let attempt = 0; attempt < 40; attempt += 1) if (take(addresses(attempt)) === 0) taken += 1;
  return taken;
}

const one = () => '192.0.2.1';
const many = (attempt: number) => `192.0.2.${attempt}`;

it('gives each of three servers its part of what all may take together, and a sender what is theirs', () => {
  divideLimits(3);
  expect(countTaken(createBuckets({ ...limits, divided: 'shared' }), many)).toBe(4);
  expect(countTaken(createBuckets({ ...limits, shared: { size: 90, perSecond: 9 }, divided: 'shared' }), one)).toBe(6);
});

it('divides both where the sender is an app with visitors everywhere, and neither without being told', () => {
  divideLimits(3);
  expect(countTaken(createBuckets({ ...limits, divided: 'both' }), one)).toBe(2);
  expect(countTaken(createBuckets(limits), one)).toBe(6);
  expect(countTaken(createBuckets(limits), many)).toBe(12);
});

it('fills a part as slowly as it is small, and follows when servers come and go', () => {
  divideLimits(2);
  const take = createBuckets({ ...limits, divided: 'shared' });
  expect(countTaken(take, many)).toBe(6);
  vi.advanceTimersByTime(2_000);
  expect(countTaken(take, many)).toBe(2);
  divideLimits(1);
  vi.advanceTimersByTime(3_000);
  expect(countTaken(take, many)).toBe(6);
});

it('takes for one thing one token, and for three three', () => {
  function countRequests(things: number): number {
    const take = createBuckets(limits);
    return countTaken((address) => take(address) || take(address, things - 1), one);
  }
  expect(countRequests(1)).toBe(6);
  expect(countRequests(3)).toBe(2);
});

it('what turns out to be large leaves its sender in debt, and nobody else', () => {
  const take = createBuckets(limits);
  expect([take(one()), take(one(), 1_000)]).toEqual([0, 0]);
  // What all share is empty, and fills at its own rate.
  expect(take('192.0.2.2')).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect([take('192.0.2.2'), take('192.0.2.3'), take('192.0.2.4')]).toEqual([0, 0, 1]);
  // A whole bucket, and one token.
  expect(take(one())).toBe(6);
  vi.advanceTimersByTime(6_000);
  expect(take(one())).toBe(0);
});

it('leaves no debt in what many have together, and as much as is said in what is one sender’s', () => {
  const [ofApp, ofAddress] = [createBuckets({ ...limits, mostDebt: 0 }), createBuckets({ ...limits, mostDebt: 60 })];
  for (const take of [ofApp, ofAddress]) take(one(), 1_000);
  vi.advanceTimersByTime(1_000);
  expect([ofApp(one()), ofAddress(one())]).toEqual([0, 60]);
});

it('lets something through with more servers than tokens', () => {
  divideLimits(100);
  const take = createBuckets({ ...limits, divided: 'both' });
  expect(countTaken(take, one)).toBe(1);
});
