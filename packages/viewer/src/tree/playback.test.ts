import { describe, expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { chooseSpeed, findStep, playOn, readPlayback, timeOfStep } from './playback.ts';

const bytes = new TextEncoder().encode('1:"one"\n0:["$1"]\n');

function open(chunks: readonly { ms: number; bytes: number }[]) {
  return { flight: decodeFlight(bytes), bytes, chunks, title: '', facts: [] };
}

const timed = readPlayback(
  open([
    { ms: 5, bytes: 3 },
    { ms: 5, bytes: 5 },
    { ms: 900, bytes: 1 },
    // A clock that was set back: what came later did not come earlier.
    { ms: 100, bytes: 1 },
    { ms: 2400, bytes: bytes.length - 10 },
  ]),
);

describe('the moments', () => {
  it('are the times at which something came', () => {
    expect(timed).toEqual({ unit: 'ms', steps: [5, 900, 2400], pace: 1 });
  });

  it('are the ends of rows where no times are known, in ten seconds', () => {
    expect(readPlayback(open([]))).toEqual({ unit: 'bytes', steps: [8, 17], pace: 17 / 10_000 });
  });

  it.each([
    [0, -1],
    [5, 0],
    [899, 0],
    [900, 1],
    [2400, 2],
    [9999, 2],
    [undefined, 2],
  ])('at %s it is moment %i', (position, step) => {
    expect(findStep(timed.steps, position)).toBe(step);
  });

  it('the last is the end: everything has come', () => {
    expect([-1, 0, 1, 2, 3].map((step) => timeOfStep(timed.steps, step))).toEqual([5, 5, 900, undefined, undefined]);
  });
});

describe('playing', () => {
  it('shows a moment when it is due, and says how long until the next', () => {
    expect(playOn(timed, 1, 5, 16)).toEqual({ step: 0, wait: 879 });
    expect(playOn(timed, 1, 5, 895)).toEqual({ step: 1, wait: 1500 });
    expect(playOn(timed, 1, 5, 3000)).toEqual({ step: 2, wait: undefined });
  });

  it('is four times as fast at 4×, and ten times slower at 0.1×', () => {
    expect(playOn(timed, 4, 0, 225).step).toBe(1);
    expect(playOn(timed, 4, 0, 0).wait).toBe(1.25);
    expect(playOn(timed, 0.1, 0, 225).step).toBe(0);
  });

  it('goes evenly over bytes', () => {
    const byBytes = readPlayback(open([]));
    expect(playOn(byBytes, 1, 0, 4800).step).toBe(0);
    expect(playOn(byBytes, 1, 0, 10_000)).toEqual({ step: 1, wait: undefined });
  });

  it('begins slower where all is over at once', () => {
    expect(chooseSpeed(timed)).toBe(1);
    expect(chooseSpeed({ unit: 'ms', steps: [1, 999], pace: 1 })).toBe(0.1);
    expect(chooseSpeed({ unit: 'ms', steps: [1000], pace: 1 })).toBe(1);
    expect(chooseSpeed(readPlayback(open([])))).toBe(1);
  });
});
