import { beforeEach, describe, expect, it } from 'vitest';

import { createPairs, type Pairs, type Sighting } from './pair-reports.ts';

let pairs: Pairs;
let count = 0;

beforeEach(() => {
  pairs = createPairs();
  count = 0;
});

function see(isFromLog: boolean, time: number, more: Partial<Sighting> = {}) {
  count += 1;
  return pairs.pair({ app: 'shop', isFromLog, fault: '2338734591', time, id: `shop.${count}`, ...more }, 10_000 + time);
}

describe('an error that arrives from inside and from the output', () => {
  it('is one, whichever comes first', () => {
    expect(see(false, 0)).toEqual({ type: 'new' });
    expect(see(true, 900)).toEqual({ type: 'known' });
    expect(see(true, 20_000)).toEqual({ type: 'new' });
    expect(see(false, 20_100)).toEqual({ type: 'replaces', id: 'shop.3' });
  });

  it('is paired once: two that failed are two', () => {
    expect([see(false, 0), see(true, 1), see(false, 2), see(true, 3)].map(({ type }) => type)).toEqual([
      'new',
      'known',
      'new',
      'known',
    ]);
    expect(see(true, 4)).toEqual({ type: 'new' });
  });

  it('is paired with the nearest in time', () => {
    see(true, 0);
    see(true, 1_000);
    expect(see(false, 1_100)).toEqual({ type: 'replaces', id: 'shop.2' });
    expect(see(false, 1_200)).toEqual({ type: 'replaces', id: 'shop.1' });
  });

  it.each([
    ['another app', { app: 'blog' }],
    ['another fault', { fault: '943353745' }],
    ['another time', { time: 5_001 }],
  ])('is another one with %s', (_name, more) => {
    see(false, 0);
    expect(see(true, 0, more)).toEqual({ type: 'new' });
  });

  it('is known when it is sent again, and new when it was not stored', () => {
    see(false, 0, { id: 'shop.a' });
    expect(see(false, 0, { id: 'shop.a' })).toEqual({ type: 'known' });
    pairs.forget('shop.a');
    expect(see(false, 0, { id: 'shop.a' })).toEqual({ type: 'new' });
  });
});
