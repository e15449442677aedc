import { expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { createStormCounts } from './count-storms.ts';

const start = 1_000_000_000;

function ask(at: number, head: Partial<FlightHead> = {}): FlightHead {
  const asked = {
    app: 'shop',
    kind: 'prefetch',
    path: '/search',
    route: '/search',
    fromPath: '/',
    visit: 'tab',
  } as const;
  return createSampleHead({ ...asked, sentBytes: 100, startedAt: start + at, requestId: `at ${at}`, ...head });
}

function run(asked: readonly FlightHead[]) {
  const counts = createStormCounts();
  for (const head of asked) counts.note(head);
  return counts.take();
}

/** `count` requests, one each `everyMs`. */
function series(
  count: number,
  everyMs: number,
  head: (index: number) => Partial<FlightHead> = () => ({}),
): FlightHead[] {
  return Array.from({ length: count }, (_, index) => ask(index * everyMs, head(index)));
}

it('names the tab that asks 200 times a second, what, from where, since when and how much', () => {
  const [storm, ...others] = run(series(2_000, 5));
  expect(others).toEqual([]);
  expect(storm).toEqual({
    app: 'shop',
    tab: 'tab',
    route: '/search',
    page: '/',
    requests: 2_000,
    sized: 2_000,
    bytes: 200_000,
    prefetches: 2_000,
    prefetchBytes: 200_000,
    unsure: 0,
    peak: 200,
    firstAt: start,
    lastAt: start + 1_999 * 5,
    requestId: 'at 9995',
  });
});

it('adds no sizes to more than can be read', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const [storm] = run(series(2_000, 5, () => ({ sentBytes: most })));
  expect(storm).toMatchObject({ requests: 2_000, bytes: most, prefetchBytes: most });
});

it('says how many its busiest second had', () => {
  const asked = [...series(300, 50), ...Array.from({ length: 37 }, (_, index) => ask(15_000 + index * 20))];
  expect(run(asked)).toMatchObject([{ requests: 337, peak: 37 }]);
});

it.each([
  ['300 in a minute', series(300, 199), 1],
  ['299 in a minute', series(299, 199), 0],
  ['300 in more than a minute', series(300, 240), 0],
  ['a page that is kept fresh each second', series(1_000, 1_000), 0],
  ['30 pages, ten times each', series(300, 10, (index) => ({ path: `/${index % 30}` })), 1],
  ['31 pages', series(300, 10, (index) => ({ path: `/${index % 31}` })), 0],
  ['more pages at once than are told apart', series(1_900, 2, (index) => ({ path: `/${index % 190}` })), 0],
  ['300 tabs, once each', series(300, 10, (index) => ({ visit: `tab ${index}` })), 0],
  ['one document, over and over', series(300, 10, () => ({ kind: 'document' })), 1],
  ['2 documents and 599 requests', series(601, 10, (index) => (index < 2 ? { kind: 'document' } : {})), 0],
  ['2 documents and 600 requests', series(602, 10, (index) => (index < 2 ? { kind: 'document' } : {})), 1],
  ['requests of nobody', series(300, 10, () => ({ visit: null })), 0],
  ['hits that were counted together', series(300, 10, () => ({ lastAt: start })), 0],
  ['parts of pages', series(300, 10, () => ({ kind: 'slice' })), 0],
])('%s', (_, asked, storms) => expect(run(asked)).toHaveLength(storms));

it('counts what it goes on to ask, once, and begins again after a calm', () => {
  const counts = createStormCounts();
  for (const head of series(300, 10)) counts.note(head);
  expect(counts.take()).toMatchObject([{ requests: 300 }]);
  expect(counts.take()).toEqual([]);
  counts.note(ask(4_000, { sentBytes: null, kind: 'navigation-or-prefetch' }));
  expect(counts.take()).toMatchObject([
    { requests: 1, sized: 0, bytes: 0, prefetches: 0, unsure: 1, lastAt: start + 4_000 },
  ]);
  for (let at = 0; at < 200; at += 1) counts.note(ask(200_000 + at));
  expect(counts.take()).toEqual([]);
  for (let at = 200; at < 400; at += 1) counts.note(ask(200_000 + at));
  expect(counts.take()).toMatchObject([{ firstAt: start + 200_001 }]);
});

it('names what is asked most', () => {
  const [storm] = run(
    series(300, 10, (index) => (index % 3 === 0 ? { path: '/rare', route: '/rare', fromPath: null } : {})),
  );
  expect(storm).toMatchObject({ route: '/search', page: '/' });
});

it('forgets tabs that were quiet longest, and not the one that storms', () => {
  const counts = createStormCounts();
  for (let round = 0; round < 300; round += 1) {
    counts.note(ask(round));
    for (let tab = 0; tab < 10; tab += 1) counts.note(ask(round, { visit: `${round} ${tab}`, path: `/${tab}` }));
  }
  expect(counts.take()).toMatchObject([{ tab: 'tab', requests: 300 }]);
});
