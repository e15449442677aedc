import { describe, expect, test } from 'vitest';

import { formatFlightQuery, hasFilter, parseFlightId, parseFlightQuery, toFlightFilter } from './flight-query.ts';

describe('what a list of flights shows', () => {
  test('is the same after a trip through the address', () => {
    const address = '?kind=document&kind=prefetch&route=%2Flab%2F%5Bnumber%5D&status=5&slow=500&large=10000&before=120';
    const query = parseFlightQuery(address);
    expect(parseFlightQuery(formatFlightQuery(query))).toEqual(query);
    expect(toFlightFilter(query)).toEqual({
      kinds: ['document', 'prefetch'],
      route: '/lab/[number]',
      statusClass: 5,
      slowerThanMs: 500,
      largerThan: 10_000,
    });
  });

  test('without a filter is everything', () => {
    const query = parseFlightQuery('?before=7');
    expect(hasFilter(query)).toBe(false);
    expect(toFlightFilter(query)).toEqual({});
    expect(formatFlightQuery({ ...query, before: undefined })).toBe('');
  });

  test('is of the app in the address, which is no filter', () => {
    const query = parseFlightQuery('?app=my-shop&before=7');
    expect(hasFilter(query)).toBe(false);
    expect(toFlightFilter(query)).toEqual({ app: 'my-shop' });
    expect(formatFlightQuery(query)).toBe('?app=my-shop&before=7');
    expect(parseFlightQuery('?app=%3Cb%3E').app).toBeUndefined();
  });

  test('leaves out what cannot be read', () => {
    const query = parseFlightQuery('?kind=robot&status=9&slow=-1&large=lots&before=1e9&route=');
    expect(formatFlightQuery(query)).toBe('');
  });

  test('reads a digest as people type it, and knows when nothing can match', () => {
    expect(toFlightFilter(parseFlightQuery('?digest=3f7k2-m9qrt'))).toEqual({ digest: '3F7K2M9QRT' });
    expect(toFlightFilter(parseFlightQuery('?digest=unknown'))).toBeUndefined();
  });

  test('takes failures for what they are in the recording', () => {
    expect(toFlightFilter(parseFlightQuery('?status=failed'))).toEqual({ isFailed: true });
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
