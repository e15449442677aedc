import { expect, it } from 'vitest';

import {
  formatFaultQuery,
  hasFields,
  hasFilter,
  parseFaultQuery,
  toFirstPage,
  toListQuery,
  withoutFilter,
} from './fault-query.ts';

const full =
  '?app=shop&q=no+price&state=muted&side=browser&level=fatal&since=7d&release=v41&first-release=v40&environment=staging&phase=rsc&route=%2Forders' +
  '&sort=count&spark=14d&before=17.abcdefgh&chosen=all';

it('an address says all of a list, and is written as it was read', () => {
  expect(formatFaultQuery(parseFaultQuery(full))).toBe(full);
  expect(formatFaultQuery(parseFaultQuery('?after=17.abcdefgh&chosen=page'))).toBe('?after=17.abcdefgh&chosen=page');
  expect(formatFaultQuery(parseFaultQuery(''))).toBe('');
});

it('open faults are listed, and words are searched in faults of any state', () => {
  expect(parseFaultQuery('').state).toBe('open');
  expect(parseFaultQuery('?q=word').state).toBe('any');
  expect(parseFaultQuery('?q=+').state).toBe('open');
  expect(formatFaultQuery(parseFaultQuery('?q=word&state=open'))).toBe('?q=word&state=open');
  expect(formatFaultQuery(parseFaultQuery('?state=any'))).toBe('?state=any');
});

it.each([
  '?app=No Such App',
  '?state=lost',
  '?side=moon',
  '?level=loud',
  '?since=1y',
  '?phase=moon',
  '?sort=price',
  '?spark=1y',
  '?after=x.abcdefgh',
  '?after=1',
  '?before=1.ABC',
  '?after=9999999999999999.a',
  '?chosen=none',
  '?done=abc&unknown=1',
])('what cannot be read of %s is left out', (search) => {
  expect(parseFaultQuery(search)).toEqual(parseFaultQuery(''));
});

it('texts are cut', () => {
  const long = 'x'.repeat(5_000);
  const query = parseFaultQuery(`?q=${long}&route=${long}&release=${long}&environment=${long}`);
  expect([query.text, query.route, query.release, query.environment].map(({ length }) => length)).toEqual([
    1_000, 200, 200, 200,
  ]);
});

it('knows a filter from what says which list it is', () => {
  const query = parseFaultQuery(full);
  expect(formatFaultQuery(withoutFilter(query))).toBe('?app=shop&sort=count&spark=14d');
  expect(formatFaultQuery(toFirstPage(query))).toBe(full.replace(/&before.*/, ''));
  expect(
    ['?sort=count&app=shop&after=1.a&chosen=all', '?q=x', '?q=x&level=fatal', '?state=any'].map((search) =>
      hasFilter(parseFaultQuery(search)),
    ),
  ).toEqual([false, true, true, true]);
  expect(
    ['', '?q=x', '?q=x&sort=count', '?q=x&level=fatal', '?q=x&state=open', '?state=any'].map((search) =>
      hasFields(parseFaultQuery(search)),
    ),
  ).toEqual([false, false, false, true, true, true]);
});

it('asks the store for what it says', () => {
  const now = 10 * 24 * 3_600_000;
  expect(toListQuery(parseFaultQuery(full), now)).toEqual({
    text: 'no price',
    order: 'count',
    place: { side: 'before', value: 17, id: 'abcdefgh' },
    limit: 50,
    hours: 14 * 24,
    filter: {
      app: 'shop',
      state: 'muted',
      side: 'browser',
      level: 'fatal',
      since: 3 * 24 * 3_600_000,
      release: 'v41',
      firstRelease: 'v40',
      environment: 'staging',
      phase: 'rsc',
      route: '/orders',
    },
  });
  expect(toListQuery(parseFaultQuery(''), now).filter).toEqual({ state: 'open', side: 'servers-first' });
  expect(toListQuery(parseFaultQuery('?side=any'), now).filter).toEqual({ state: 'open' });
});
