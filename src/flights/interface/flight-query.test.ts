import { describe, expect, test } from 'vitest';

import {
  formatFlightQuery,
  hasFilter,
  leavesOutOwn,
  parseFlightId,
  parseFlightQuery,
  quoteRoute,
  toFlightFilter,
  withoutFilter,
} from './flight-query.ts';

const alone = [{ isOwn: true }];
const several = [{ isOwn: true }, { isOwn: false }];

describe('what a list of flights shows', () => {
  test('is the same after a trip through the address', () => {
    const address =
      '?kind=document&kind=prefetch&route=%2Flab%2F%5Bnumber%5D&status=5&build=y6FH8&slow=500&large=10000&before=120';
    const query = parseFlightQuery(address);
    expect(parseFlightQuery(formatFlightQuery(query))).toEqual(query);
    expect(toFlightFilter(query, alone)).toEqual({
      kinds: ['document', 'prefetch'],
      routePart: '/lab/[number]',
      statusClass: 5,
      build: 'y6FH8',
      slowerThanMs: 500,
      largerThan: 10_000,
    });
  });

  test('is of a part of a route as it is typed, and of a whole route in quotes', () => {
    const read = (text: string) => toFlightFilter(parseFlightQuery(`?route=${encodeURIComponent(text)}`), alone);
    expect(read('/hea')).toEqual({ routePart: '/hea' });
    expect(read(' heavy ')).toEqual({ routePart: 'heavy' });
    expect(read(quoteRoute('/'))).toEqual({ route: '/' });
    expect(read('"/hea')).toEqual({ routePart: '/hea' });
    expect(read('"')).toEqual({});
    expect(read('""')).toEqual({ routePart: '"' });
  });

  test('without a filter is everything', () => {
    const query = parseFlightQuery('?before=7');
    expect(hasFilter(query)).toBe(false);
    expect(toFlightFilter(query, alone)).toEqual({});
    expect(formatFlightQuery({ ...query, before: undefined })).toBe('');
  });

  test('is of the app in the address, which is no filter', () => {
    const query = parseFlightQuery('?app=my-shop&before=7');
    expect(hasFilter(query)).toBe(false);
    expect(toFlightFilter(query, alone)).toEqual({ app: 'my-shop' });
    expect(formatFlightQuery(query)).toBe('?app=my-shop&before=7');
    expect(parseFlightQuery('?app=%3Cb%3E').app).toBeUndefined();
  });

  test('leaves out what cannot be read', () => {
    const query = parseFlightQuery('?kind=robot&status=9&slow=-1&large=lots&before=1e9&route=');
    expect(formatFlightQuery(query)).toBe('');
  });

  test('reads a digest as people type it, and knows when nothing can match', () => {
    expect(toFlightFilter(parseFlightQuery('?digest=3f7k2-m9qrt'), alone)).toEqual({ digest: '3F7K2M9QRT' });
    expect(toFlightFilter(parseFlightQuery('?digest=unknown'), alone)).toBeUndefined();
  });

  test('has an order, which is no filter', () => {
    const query = parseFlightQuery('?view=routes&app=shop&sort=duration&dir=asc&before=9&skip=50&status=4');
    expect(query.order).toEqual({ by: 'duration', isAscending: true });
    expect(formatFlightQuery(query)).toBe('?view=routes&app=shop&status=4&sort=duration&dir=asc&before=9&skip=50');
    expect(hasFilter(query)).toBe(true);
    const bare = withoutFilter(query);
    expect(formatFlightQuery(bare)).toBe('?view=routes&app=shop&sort=duration&dir=asc');
    expect(hasFilter({ ...bare, before: 4, skip: 50 })).toBe(false);
    expect(parseFlightQuery('?sort=flight').order).toEqual({ by: 'flight', isAscending: false });
    expect(parseFlightQuery('?sort=time&dir=asc').order).toEqual({ by: 'time', isAscending: true });
    for (const usual of [
      '',
      '?sort=time',
      '?sort=name',
      '?dir=asc',
      '?sort=time&dir=down',
      '?skip=0',
      '?skip=123456',
    ]) {
      expect(formatFlightQuery(parseFlightQuery(usual)), usual).toBe('');
    }
  });

  test('leaves out the recorder itself where there are other apps, unless it is asked for', () => {
    const asks = (search: string, apps: typeof alone) => leavesOutOwn(parseFlightQuery(search), apps);
    expect(asks('', several)).toBe(true);
    expect(asks('?kind=action', several)).toBe(true);
    expect(asks('', alone)).toBe(false);
    for (const search of ['?own=1', '?app=shop', '?digest=3F7K2M9QRT']) {
      expect(asks(search, several), search).toBe(false);
    }
    expect(toFlightFilter(parseFlightQuery(''), several)).toEqual({ isOfOthers: true });
    expect(toFlightFilter(parseFlightQuery('?own=1'), several)).toEqual({});
    expect(formatFlightQuery(parseFlightQuery('?own=1'))).toBe('?own=1');
    expect(hasFilter(parseFlightQuery('?own=1'))).toBe(false);
  });

  test('takes failures for what they are in the recording', () => {
    expect(toFlightFilter(parseFlightQuery('?status=failed'), alone)).toEqual({ isFailed: true });
  });
});

test.each([
  ['1', 1],
  ['120', 120],
  ['0', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['9999999999999999', undefined],
  [null, undefined],
])('the id of a flight: %s', (text, id) => {
  expect(parseFlightId(text)).toBe(id);
});
