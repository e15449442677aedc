import { expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { createCacheFaults } from './find-cache-faults.ts';

const shared = { 'cache-control': 's-maxage=60' };

function answer(caching: unknown, head: Partial<FlightHead> = {}): FlightHead {
  return createSampleHead({ app: 'shop', path: '/cart', caching: JSON.stringify(caching), ...head });
}

const page = answer({ headers: shared, setsCookie: false, askedBy: null }, { kind: 'document' });
const payload = answer({ headers: { vary: 'rsc' }, setsCookie: false, askedBy: ['rsc'] }, { kind: 'navigation' });

it.each([
  ['page', [page, payload]],
  ['payload', [payload, page]],
])('two bodies are found with the second, when the %s came first', (_, [first, second]) => {
  const find = createCacheFaults();
  expect(first && find(first)).toEqual([]);
  expect(second && find(second)).toMatchObject([{ rule: 'cache-mixes' }]);
});

it('two addresses are two, as are two apps', () => {
  for (const other of [{ path: '/other' }, { app: 'other' }]) {
    const find = createCacheFaults();
    expect(find(page)).toEqual([]);
    expect(find({ ...payload, ...other })).toEqual([]);
  }
  const find = createCacheFaults();
  const apart = answer({ headers: shared, setsCookie: false, askedBy: [] }, { kind: 'navigation' });
  expect([...find(page), ...find(apart), ...find(page)]).toEqual([]);
});

it('Flight where a page was asked is one, and a cookie in what caches keep', () => {
  const find = createCacheFaults();
  const caching = { headers: {}, setsCookie: false, askedBy: null };
  expect(find(answer(caching, { kind: 'navigation', content: 'flight' }))).toMatchObject([{ rule: 'flight-as-page' }]);
  expect(find(answer(caching, { kind: 'document', content: 'flight' }))).toEqual([]);
  // An error page of a server without Flight.
  expect(find(answer(caching, { kind: 'slice', content: 'none' }))).toEqual([]);
  const cookie = answer({ headers: shared, setsCookie: true, askedBy: [] }, { kind: 'navigation' });
  expect(find(cookie)).toMatchObject([{ rule: 'cache-cookie' }]);
});

it('nothing is said of what was not kept', () => {
  expect(createCacheFaults()(createSampleHead({ caching: null }))).toEqual([]);
});
