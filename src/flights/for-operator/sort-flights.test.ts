import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { ownApp } from '#src/store/own-app.ts';

import { askAsOperator } from '../recorder/testing/ask-as-operator.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import type { FlightSummary } from '../flight/flight-record.ts';
import { currentWriter, noteUsage } from '../recorder/recorder.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { countLinks, judgeWaste, readPrefetchLedger } from './prefetch-ledger.ts';
import { listFlights } from './queries.ts';
import { listSortedFlights, type FlightOrder } from './sort-flights.ts';
import { listRoutes, sumRoutes } from './summaries.ts';

useRecorder();

const none = { payload: [], debug: [], args: new Uint8Array() };

async function record(heads: readonly Partial<FlightHead>[]): Promise<void> {
  const writer = currentWriter();
  for (const head of heads) {
    const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
    writer.add(createSampleHead({ ...ids, app: ownApp, content: 'flight', ...head }), none);
  }
  await writer.flush();
}

function ask<T>(query: () => Promise<T>): Promise<T> {
  return Promise.resolve(askAsOperator(query));
}

const firstPage = { skip: 0, limit: 100 };

async function sort(by: FlightOrder['by'], isAscending = false): Promise<readonly FlightSummary[]> {
  return (await ask(() => listSortedFlights({}, { by, isAscending }, firstPage))).flights;
}

describe('flights in another order than that of time', () => {
  it.each([
    ['flight', (flight: FlightSummary) => flight.sizes.flight],
    ['response', (flight: FlightSummary) => flight.sizes.response],
    ['transferred', (flight: FlightSummary) => flight.sizes.transferred],
    ['duration', (flight: FlightSummary) => flight.durationMs],
    ['status', (flight: FlightSummary) => flight.status],
    ['time', (flight: FlightSummary) => flight.id],
  ] as const)('%s: the largest first or last, and what is not known last both ways', async (by, read) => {
    await record([
      { bytes: 30, knownDecodedBytes: 70, sentBytes: 3, durationMs: 5, status: 404 },
      {
        bytes: 999,
        knownDecodedBytes: null,
        source: 'proxy',
        sentBytes: null,
        durationMs: 7,
        status: 200,
        content: 'html',
      },
      { bytes: 10, knownDecodedBytes: 90, sentBytes: 9, durationMs: 1, status: 500 },
      { bytes: 20, sentBytes: 6, durationMs: 3, status: 304 },
      { bytes: 20, sentBytes: 6, durationMs: 3, status: 304 },
    ]);
    const known = (flights: readonly FlightSummary[]) => flights.map(read).filter((value) => value !== undefined);
    const falling = await sort(by);
    expect(falling).toHaveLength(5);
    expect(known(falling)).toEqual(known(falling).toSorted((a, b) => b - a));
    const rising = await sort(by, true);
    expect(known(rising)).toEqual(known(falling).toReversed());
    const unknown = 5 - known(falling).length;
    for (const flights of [falling, rising]) {
      expect(flights.slice(5 - unknown).map(read)).toEqual(Array.from({ length: unknown }, () => undefined));
    }
    const unknowns = { flight: 1, response: 3, transferred: 1, duration: 0, status: 0, time: 0 };
    expect(unknown).toBe(unknowns[by]);
  });

  it('by response are in the order of the sizes that are shown, of whatever kind, source and outcome', async () => {
    const heads = (['runtime', 'proxy'] as const).flatMap((source) =>
      (['complete', 'left'] as const).flatMap((outcome) =>
        (['html', 'flight'] as const).flatMap((content) =>
          (['document', 'navigation', 'prefetch', 'slice', 'action'] as const).map((kind) => ({
            source,
            outcome,
            content,
            kind,
            knownDecodedBytes: null,
          })),
        ),
      ),
    );
    await record(heads.map((head, index) => ({ ...head, bytes: (index * 7) % 41 })));
    const sizes = (await sort('response')).map((flight) => flight.sizes.response);
    const known = sizes.filter((size) => size !== undefined);
    expect(known).toHaveLength(8);
    expect(sizes.slice(0, 8)).toEqual(known.toSorted((a, b) => b - a));
  });

  it('of equal value are newest first', async () => {
    await record([{ status: 200 }, { status: 500 }, { status: 200 }]);
    expect((await sort('status', true)).map(({ id }) => id)).toEqual([3, 1, 2]);
    expect((await sort('status')).map(({ id }) => id)).toEqual([2, 3, 1]);
  });

  it('go from page to page of the same flights, however many come meanwhile', async () => {
    await record([1, 2, 3, 4, 5].map((bytes) => ({ bytes: bytes * 10 })));
    const order = { by: 'flight', isAscending: false } as const;
    const first = await ask(() => listSortedFlights({}, order, { skip: 0, limit: 2 }));
    expect(first).toMatchObject({ sorted: 5, older: undefined, newest: 5, top: 6 });
    await record([{ bytes: 45 }]);
    const second = await ask(() => listSortedFlights({}, order, { before: first.top, skip: 2, limit: 2 }));
    expect([...first.flights, ...second.flights].map(({ bytes }) => bytes)).toEqual([50, 40, 30, 20]);
    expect(second).toMatchObject({ sorted: 5, top: 6, newest: 6 });
    const beyond = await ask(() => listSortedFlights({}, order, { before: 900, skip: 99, limit: 2 }));
    expect(beyond).toMatchObject({ flights: [], sorted: 6, top: 7 });
  });

  it('are of what matches, and counted', async () => {
    await record([{ kind: 'action', bytes: 7 }, { bytes: 8 }, { kind: 'action', bytes: 9, app: 'shop' }]);
    const order = { by: 'flight', isAscending: false } as const;
    const list = async (filter: Parameters<typeof listSortedFlights>[0]) => {
      const page = await ask(() => listSortedFlights(filter, order, firstPage));
      return [page.sorted, page.flights.map(({ id }) => id)];
    };
    expect(await list({ kinds: ['action'] })).toEqual([2, [3, 1]]);
    expect(await list({ app: 'shop' })).toEqual([1, [3]]);
    expect(await list({ isOfOthers: true })).toEqual([1, [3]]);
    expect(await list({ route: '/nothing' })).toEqual([0, []]);
  });

  it('are a bounded stretch of a long recording, and the stretch before it on request', async () => {
    await record(Array.from({ length: 20_010 }, (_, index) => ({ bytes: 20_010 - index })));
    const order = { by: 'flight', isAscending: false } as const;
    const page = await ask(() => listSortedFlights({}, order, { skip: 0, limit: 1 }));
    expect(page).toMatchObject({ sorted: 20_000, older: 11 });
    expect(page.flights.map(({ id }) => id)).toEqual([11]);
    const older = await ask(() => listSortedFlights({}, order, { before: page.older ?? 0, skip: 0, limit: 1 }));
    expect(older).toMatchObject({ sorted: 10, older: undefined });
    expect(older.flights.map(({ id }) => id)).toEqual([1]);
  });

  it('are for the operator alone', async () => {
    await expect(listSortedFlights({}, { by: 'flight', isAscending: false }, firstPage)).rejects.toThrow(/not signed/);
    await expect(readPrefetchLedger()).rejects.toThrow(/not signed/);
    await expect(listRoutes({})).rejects.toThrow(/not signed/);
  });
});

describe('flights of other apps', () => {
  it('are listed, summed and named without this server’s own', async () => {
    const own = { app: ownApp, route: '/lab' };
    await record([own, { app: 'shop', route: '/cart' }, own, { app: 'blog', route: '/' }]);
    const others = { isOfOthers: true } as const;
    expect((await ask(() => listFlights(others, { limit: 10 }))).flights.map(({ id }) => id)).toEqual([4, 2]);
    expect((await ask(() => sumRoutes(others))).map(({ route }) => route).toSorted()).toEqual(['/', '/cart']);
    expect(await ask(() => listRoutes(others))).toEqual(['/', '/cart']);
    expect(await ask(() => listRoutes({ app: 'shop' }))).toEqual(['/cart']);
    expect(await ask(() => listRoutes({}))).toEqual(['/', '/cart', '/lab']);
  });
});

describe('flights whose route or path has a part in it', () => {
  const list = async (routePart: string) => {
    const byTime = await ask(() => listFlights({ routePart }, { limit: 10 }));
    const sorted = await ask(() => listSortedFlights({ routePart }, { by: 'flight', isAscending: false }, firstPage));
    const totals = await ask(() => sumRoutes({ routePart }));
    const ids = byTime.flights.map(({ id }) => id).toSorted();
    expect(sorted.flights.map(({ id }) => id).toSorted()).toEqual(ids);
    expect(totals.reduce((sum, { flights }) => sum + flights, 0)).toBe(ids.length);
    return ids;
  };

  it('are found from the first letter on, in capitals or not', async () => {
    await record([
      { route: '/heavy', path: '/heavy' },
      { route: '/blog/[slug]', path: '/blog/heat' },
      { route: '/', path: '/' },
    ]);
    expect(await list('/hea')).toEqual([1, 2]);
    expect(await list('HEAVY')).toEqual([1]);
    expect(await list('/b')).toEqual([2]);
    expect(await list('[s')).toEqual([2]);
    expect(await list('/')).toEqual([1, 2, 3]);
    expect(await list('heavier')).toEqual([]);
    const { flights } = await ask(() => listFlights({ route: '/' }, { limit: 10 }));
    expect(flights.map(({ id }) => id)).toEqual([3]);
  });

  it('take no character for a pattern', async () => {
    await record([
      { route: '/a_b', path: '/100%25' },
      { route: '/axb', path: '/100' },
      { route: String.raw`/c\d`, path: '/c' },
    ]);
    expect(await list('a_b')).toEqual([1]);
    expect(await list('%')).toEqual([1]);
    expect(await list(String.raw`c\d`)).toEqual([3]);
    expect(await list(`' or 1 --`)).toEqual([]);
  });
});

it('totals have the response and what was transferred where both are known of all', async () => {
  const body = { content: 'html', bytes: 9 } as const;
  await record([
    { ...body, route: '/a', knownDecodedBytes: 40, sentBytes: 10 },
    { ...body, route: '/a', knownDecodedBytes: 60, sentBytes: null },
    { ...body, route: '/b', knownDecodedBytes: 5, sentBytes: 3 },
    { ...body, route: '/b', knownDecodedBytes: null, sentBytes: 4, source: 'proxy' },
  ]);
  const totals = await ask(() => sumRoutes());
  const of = (route: string) => totals.find((total) => total.route === route);
  expect(of('/a')).toMatchObject({ responseBytes: 100, transferredBytes: undefined });
  expect(of('/b')).toMatchObject({ responseBytes: undefined, transferredBytes: 7 });
});

it('totals of a route have what three of four of its pages were told to be, and no word of others', async () => {
  const ids = [1, 2, 3, 4, 5].map((digit) => String(digit).repeat(32));
  const page = { app: 'shop', source: 'proxy', kind: 'document', route: '/cart' } as const;
  await record([...ids.map((requestId) => ({ ...page, requestId })), { ...page, route: '/about' }]);
  for (const [at, id] of ids.slice(1).entries()) {
    const lcp = { ms: 1_000 * (4 - at), loadDelayMs: 0, loadMs: 0, renderDelayMs: 0 };
    noteUsage({
      time: at,
      used: [],
      closedTrace: undefined,
      told: { app: 'shop', used: [], unused: [], clicks: [], links: [], vitals: { id, vitals: { lcp } } },
    });
  }
  await currentWriter().flush();
  const totals = await ask(() => sumRoutes());
  const vitals = new Map(totals.map((total) => [total.route, total.vitals]));
  expect(vitals.get('/cart')).toEqual({ lcp: { p75: 3_000, pages: 4 }, inp: undefined, cls: undefined });
  expect(vitals.get('/about')).toBeUndefined();
});

it('totals are of what is filtered', async () => {
  await record([
    { route: '/a', kind: 'document', durationMs: 900, bytes: 5 },
    { route: '/a', kind: 'document', durationMs: 10, bytes: 7 },
    { route: '/b', kind: 'action', durationMs: 10, bytes: 7, digests: ['SAME1'] },
  ]);
  const sum = async (filter: Parameters<typeof sumRoutes>[0]) =>
    (await ask(() => sumRoutes(filter))).map(({ route, flights, bytes }) => [route, flights, bytes]);
  expect(await sum({})).toEqual([
    ['/a', 2, 12],
    ['/b', 1, 7],
  ]);
  expect(await sum({ slowerThanMs: 100 })).toEqual([['/a', 1, 5]]);
  expect(await sum({ isFailed: true })).toEqual([['/b', 1, 7]]);
  expect(await sum({ digest: 'SAME1' })).toEqual([['/b', 1, 7]]);
});

describe('the ledger of prefetches', () => {
  /** Longer ago than a page lives. */
  const startedAt = Date.now() - 3_600_000;
  const prefetch = { kind: 'prefetch', startedAt, bytes: 100 } as const;

  it('is by link, by page and by trigger, the most wasted first, each with its parts', async () => {
    await record([
      { ...prefetch, path: '/a', fromPath: '/', trigger: 'viewport' },
      { ...prefetch, path: '/a', fromPath: '/', trigger: 'viewport' },
      { ...prefetch, path: '/a', fromPath: '/list', trigger: 'hover' },
      { ...prefetch, path: '/b', fromPath: '/list', trigger: 'hover', bytes: 150 },
      { ...prefetch, path: '/c', source: 'proxy', app: 'shop' },
      { kind: 'navigation', path: '/a', fromPath: '/' },
    ]);
    const byLink = await ask(() => readPrefetchLedger({}, 'link'));
    expect(byLink).toMatchObject([
      {
        name: '/a',
        sent: 3,
        expired: 3,
        wastedBytes: 300,
        parts: [
          { page: '/', trigger: 'viewport', sent: 2, wastedBytes: 200 },
          { page: '/list', trigger: 'hover', sent: 1, wastedBytes: 100 },
        ],
      },
      { name: '/b', sent: 1, wastedBytes: 150, parts: [{ page: '/list', trigger: 'hover' }] },
      { name: '/c', sent: 1, unknown: 1, wastedBytes: 0, unknownBytes: 100, parts: [{ page: undefined }] },
    ]);
    const byPage = await ask(() => readPrefetchLedger({}, 'page'));
    expect(byPage).toMatchObject([
      { name: '/list', wastedBytes: 250, parts: [{ link: '/b' }, { link: '/a' }] },
      { name: '/', wastedBytes: 200, parts: [{ link: '/a', trigger: 'viewport', sent: 2 }] },
      { name: undefined, wastedBytes: 0, parts: [{ link: '/c' }] },
    ]);
    const byTrigger = await ask(() => readPrefetchLedger({ filter: { app: ownApp } }, 'trigger'));
    expect(byTrigger.map(({ name, sent, wastedBytes }) => [name, sent, wastedBytes])).toEqual([
      ['hover', 2, 250],
      ['viewport', 2, 200],
    ]);
  });

  it('has what was wasted for certain first, however much more nothing is known of', async () => {
    const [first, second] = ['1'.repeat(32), '2'.repeat(32)];
    const foreign = { ...prefetch, source: 'proxy', app: 'shop' } as const;
    await record([
      { ...foreign, path: '/unknown', bytes: 9_000 },
      { ...foreign, path: '/used', bytes: 9_930 },
      { ...foreign, path: '/used', requestId: first, bytes: 1 },
      { ...prefetch, path: '/wasted', bytes: 1 },
      { ...prefetch, path: '/page', content: 'html', rendering: 'prerendered' },
      { ...prefetch, path: '/fine', requestId: second },
    ]);
    noteUsage({ time: startedAt + 5, used: [first, second], closedTrace: undefined });
    await currentWriter().flush();
    const groups = await ask(() => readPrefetchLedger({}, 'link'));
    expect(groups.map((group) => [group.name, judgeWaste(group)])).toEqual([
      ['/wasted', 'certain'],
      ['/page', 'certain'],
      ['/unknown', 'unknown'],
      ['/used', 'unknown'],
      ['/fine', 'none'],
    ]);
    expect(countLinks(groups)).toBe(5);
    expect(countLinks(await ask(() => readPrefetchLedger({}, 'trigger')))).toBe(5);
  });

  it('is by route, of which one stands for all its links, and since a time', async () => {
    const item = { ...prefetch, route: '/products/[slug]', source: 'proxy', app: 'shop' } as const;
    await record([
      { ...item, path: '/products/1' },
      { ...item, path: '/products/2' },
      { ...item, path: '/products/2', startedAt: startedAt + 5 },
      { ...prefetch, route: '/about', path: '/about', source: 'proxy', app: 'shop' },
    ]);
    const all = await ask(() => readPrefetchLedger());
    expect(all.map(({ name, sent, parts }) => [name, sent, parts.map(({ link }) => link)])).toEqual([
      ['/products/[slug]', 3, ['/products/2', '/products/1']],
      ['/about', 1, ['/about']],
    ]);
    const since = await ask(() => readPrefetchLedger({ filter: { since: startedAt + 1 } }));
    expect(since).toMatchObject([{ name: '/products/[slug]', sent: 1 }]);
  });

  it('counts no bytes of which it is not known that they are Flight', async () => {
    await record([{ ...prefetch, path: '/a', content: 'html', rendering: 'prerendered' }]);
    expect(await ask(() => readPrefetchLedger())).toMatchObject([{ sent: 1, expired: 1, bytes: 0, wastedBytes: 0 }]);
  });
});

it('counts an error without a digest as a failure, and each hit of one', async () => {
  const failed = { route: '/cart', digests: [''], hits: 3 };
  await record([failed, { route: '/cart' }]);
  expect((await ask(() => sumRoutes())).map(({ failures, flights }) => [failures, flights])).toEqual([[3, 4]]);
  const { flights } = await ask(() => listFlights({ isFailed: true }, { limit: 10 }));
  expect(flights.map(({ digests, hits }) => [digests, hits])).toEqual([[[], 3]]);
});

it('sums times of what no browser left, and says of a route that each left that they are unknown', async () => {
  await record([
    { route: '/slow', outcome: 'left', durationMs: 200 },
    { route: '/slow', outcome: 'complete', durationMs: 900 },
    { route: '/left', outcome: 'left', durationMs: 100 },
  ]);
  const totals = await ask(() => sumRoutes());
  expect(totals.map((total) => [total.route, total.flights, total.p50Ms]).toSorted()).toEqual([
    ['/left', 1, null],
    ['/slow', 2, 900],
  ]);
});
