import { beforeEach, describe, expect, it } from 'vitest';

import { createPairs, type Pairs, type Sighting } from './pair-reports.ts';

let pairs: Pairs;
let count = 0;

beforeEach(() => {
  pairs = createPairs();
  count = 0;
});

const error = { app: 'shop', digest: '2338734591', name: 'Error', message: 'boom', fingerprint: 'f' } as const;

function see(from: Sighting['from'], time: number, more: Partial<Sighting> = {}) {
  count += 1;
  return pairs.pair({ ...error, from, time, id: `shop.${count}`, ...more }, 10_000 + time);
}

describe('an error that arrives from inside and from the output', () => {
  it('is one, whichever comes first', () => {
    expect(see('reporter', 0)).toEqual({ type: 'new' });
    expect(see('log', 900)).toEqual({ type: 'known', id: 'shop.1' });
    expect(see('log', 20_000)).toEqual({ type: 'new' });
    expect(see('reporter', 20_100)).toEqual({ type: 'replaces', id: 'shop.3' });
  });

  it('is paired once: two that failed are two', () => {
    const kinds = [see('reporter', 0), see('log', 1), see('reporter', 2), see('log', 3)].map(({ type }) => type);
    expect(kinds).toEqual(['new', 'known', 'new', 'known']);
    expect(see('log', 4)).toEqual({ type: 'new' });
  });

  it('is what the reporter says, where the output has it twice without a digest', () => {
    const print = { digest: undefined } as const;
    expect(see('reporter', 0, print)).toEqual({ type: 'new' });
    expect([see('log', 1, print), see('log', 2, print)]).toEqual([
      { type: 'known', id: 'shop.1' },
      { type: 'known', id: 'shop.1' },
    ]);
    // The next one is told by the reporter, too.
    expect(see('reporter', 3, print)).toEqual({ type: 'new' });
    expect(see('log', 1_500, print)).toEqual({ type: 'known', id: 'shop.4' });
    expect(see('log', 2_600, print)).toEqual({ type: 'new' });
  });

  it.each([
    ['thrown string', 'basket locked', 'basket locked'],
    ['thrown object', '{"code":9}', '{"code":9}'],
    ['thrown undefined', '', 'undefined'],
  ])('is one where a %s is printed as an error that says it', (name, message, printed) => {
    const none = { digest: undefined } as const;
    expect(see('reporter', 0, { ...none, name, message })).toEqual({ type: 'new' });
    expect(see('log', 1, { ...none, message: printed })).toEqual({ type: 'known', id: 'shop.1' });
  });

  it('is each print, where no reporter says more', () => {
    const print = { digest: undefined } as const;
    expect([see('log', 0, print).type, see('log', 1, print).type]).toEqual(['new', 'new']);
  });

  it('is paired with the nearest in time', () => {
    see('log', 0);
    see('log', 1_000);
    expect(see('reporter', 1_100)).toEqual({ type: 'replaces', id: 'shop.2' });
    expect(see('reporter', 1_200)).toEqual({ type: 'replaces', id: 'shop.1' });
  });

  it('is paired with what was thrown in the same place, where a visitor got the same text printed', () => {
    see('log', 10, { fingerprint: 'of a visitor' });
    see('log', 8);
    expect(see('reporter', 10)).toEqual({ type: 'replaces', id: 'shop.2' });
  });

  it.each([
    ['another app', { app: 'blog' }],
    ['another digest', { digest: '943353745' }],
    ['no digest and another message', { digest: undefined, message: 'bang' }],
    ['another time', { time: 5_001 }],
  ])('is another one with %s', (_name, more) => {
    see('reporter', 0);
    expect(see('log', 0, more)).toEqual({ type: 'new' });
  });

  it('is another one where what was printed with its digest says something else, whichever comes first', () => {
    const forged = { message: 'made up' } as const;
    expect([see('log', 0, forged).type, see('reporter', 1).type]).toEqual(['new', 'new']);
    expect(see('log', 2, forged)).toEqual({ type: 'new' });
    expect(see('log', 3)).toEqual({ type: 'known', id: 'shop.2' });
  });

  it.each(['request failed:  no price of it', 'An error occurred in the Server Components render.'])(
    'is one where the app printed %j',
    (message) => {
      see('reporter', 0, { message: 'no price of it' });
      expect(see('log', 1, { message })).toEqual({ type: 'known', id: 'shop.1' });
    },
  );

  it('is another one where the reporter or the output alone names a digest', () => {
    expect([see('log', 0).type, see('reporter', 1, { digest: undefined }).type]).toEqual(['new', 'new']);
    expect([see('reporter', 10_000, { digest: undefined }).type, see('log', 10_001).type]).toEqual(['new', 'new']);
  });

  it('is known by its name and first line where one of them has no digest', () => {
    see('reporter', 0);
    expect(see('sdk', 0, { digest: undefined, message: 'boom\nmore' })).toEqual({ type: 'known', id: 'shop.1' });
  });

  it('is known when it is sent again, and new when it was not stored', () => {
    see('reporter', 0, { id: 'shop.a' });
    expect(see('reporter', 0, { id: 'shop.a' })).toEqual({ type: 'known', id: 'shop.a' });
    pairs.forget('shop.a');
    expect(see('reporter', 0, { id: 'shop.a' })).toEqual({ type: 'new' });
  });
});

describe('an error that an SDK sends as well', () => {
  it('is paired however many errors another app sends meanwhile', () => {
    const sdk = { digest: undefined } as const;
    expect(see('sdk', 0, sdk)).toEqual({ type: 'new' });
    for (let n = 0; n < 260; n += 1) see('sdk', 1, { app: 'evil', digest: undefined, message: `flood ${n}` });
    expect(see('reporter', 5)).toMatchObject({ type: 'replaces', id: 'shop.1' });
  });

  it('is one with what the output and a reporter say, in any order', () => {
    expect(see('log', 0)).toEqual({ type: 'new' });
    expect(see('sdk', 10)).toEqual({ type: 'replaces', id: 'shop.1' });
    expect(see('reporter', 20)).toEqual({ type: 'replaces', id: 'shop.2' });
    expect(see('sdk', 30)).toEqual({ type: 'new' });
    expect(see('reporter', 40)).toEqual({ type: 'replaces', id: 'shop.4' });
    expect(see('log', 50)).toEqual({ type: 'known', id: 'shop.5' });
  });

  it('is one more each time, when an SDK alone sends it', () => {
    expect([see('sdk', 0), see('sdk', 1), see('sdk', 2)].map(({ type }) => type)).toEqual(['new', 'new', 'new']);
  });

  it('leaves the row that is there when what should replace it was not stored', () => {
    see('sdk', 0);
    expect(see('reporter', 1, { id: 'shop.r' })).toEqual({ type: 'replaces', id: 'shop.1' });
    pairs.forget('shop.r');
    expect(see('reporter', 1, { id: 'shop.r' })).toEqual({ type: 'replaces', id: 'shop.1' });
    expect(see('log', 2)).toEqual({ type: 'known', id: 'shop.r' });
  });
});
