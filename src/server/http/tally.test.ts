import { expect, test } from 'vitest';

import { createHistogram } from './histogram.ts';
import { createTally } from './tally.ts';

test('counts by two words', () => {
  const tally = createTally();
  tally.add('page', '2xx');
  tally.add('page', '2xx', 2);
  tally.add('page', '5xx');
  tally.add('action', '2xx');
  expect(tally.read()).toEqual([
    { first: 'page', second: '2xx', value: 3 },
    { first: 'page', second: '5xx', value: 1 },
    { first: 'action', second: '2xx', value: 1 },
  ]);
});

test('counts what is beyond its limit as one, and goes on counting what it knows', () => {
  const tally = createTally(2);
  for (let n = 0; n < 1_000; n += 1) tally.add(`app-${n}`, 'complete');
  tally.add('app-1', 'complete');
  tally.add('app-0', 'failed');
  expect(tally.read()).toEqual([
    { first: 'app-0', second: 'complete', value: 1 },
    { first: 'app-0', second: 'failed', value: 1 },
    { first: 'app-1', second: 'complete', value: 2 },
    { first: 'other', second: 'complete', value: 998 },
  ]);
});

test('a histogram has each duration in its bucket and in those above it', () => {
  const histogram = createHistogram([0.001, 0.01, 0.1]);
  for (const seconds of [0.0005, 0.001, 0.0011, 0.1, 7]) histogram.observe(seconds);
  const { bounds, cumulative, sum } = histogram.read();
  expect(bounds).toEqual([0.001, 0.01, 0.1]);
  expect(cumulative).toEqual([2, 3, 4, 5]);
  expect(sum).toBeCloseTo(7.1026);
});
