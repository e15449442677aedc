import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';
import { ownApp } from '#src/store/own-app.ts';

import { deleteAppFlights, listRecordedApps } from './delete-app-flights.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { openFlightsReader } from './flights-reader.ts';
import { countAppFlights } from '../for-operator/app-counts.ts';
import { findFlightsByDigest, findNewerPage, listFlights } from '../for-operator/queries.ts';
import { readPrefetchLedger } from '../for-operator/prefetch-ledger.ts';
import { sumRoutes } from '../for-operator/summaries.ts';
import { currentWriter } from './recorder.ts';
import { createSampleHead } from './testing/sample-head.ts';
import { useRecorder } from './testing/use-recorder.ts';
import { askAsOperator } from './testing/ask-as-operator.ts';

useRecorder();

function id(): string {
  return randomBytes(16).toString('hex');
}

const none = { payload: [], debug: [], args: new Uint8Array() };

/** More in one transaction take longer than a busy PostgreSQL is waited for: it is written again, with other ids. */
const atOnce = 1_000;

async function record(heads: readonly Partial<FlightHead>[]): Promise<void> {
  const writer = currentWriter();
  for (const [index, head] of heads.entries()) {
    writer.add(createSampleHead({ requestId: id(), traceId: id(), ...head }), none);
    if (index % atOnce === atOnce - 1) await writer.flush();
  }
  await writer.flush();
}

function ask<T>(query: () => Promise<T>): Promise<T> {
  return Promise.resolve(askAsOperator(query));
}

const own = { app: ownApp, route: '/lab' };
const shop = { app: 'shop', route: '/cart' };

async function listIds(filter: Parameters<typeof listFlights>[0], limit = 100): Promise<number[]> {
  return (await ask(() => listFlights(filter, { limit }))).flights.map((flight) => flight.id);
}

describe('flights of one app', () => {
  it('are listed alone, page by page in both directions', async () => {
    await record([shop, own, shop, own, shop, shop]);
    expect(await listIds({})).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await listIds({ app: 'shop' })).toEqual([6, 5, 3, 1]);
    expect(await listIds({ app: ownApp })).toEqual([4, 2]);
    expect(await listIds({ app: 'nobody' })).toEqual([]);
    const page = await ask(() => listFlights({ app: 'shop' }, { limit: 2 }));
    expect(page.next).toBe(5);
    const older = await ask(() => listFlights({ app: 'shop' }, { limit: 2, before: 5 }));
    expect(older.flights.map((flight) => flight.id)).toEqual([3, 1]);
    expect(older.next).toBeUndefined();
    expect(await ask(() => findNewerPage({ app: 'shop' }, 3, 1))).toBe(5);
    expect(await ask(() => findNewerPage({ app: 'shop' }, 3, 3))).toBeUndefined();
    const later = await ask(() => listFlights({ app: 'shop' }, { since: 3, limit: 100 }));
    expect(later.flights).toHaveLength(2);
  });

  it('are found however many of others came since', async () => {
    await record([shop, ...Array.from({ length: 20_100 }, () => own)]);
    expect(await listIds({ app: 'shop', route: '/cart' })).toEqual([1]);
    expect((await ask(() => sumRoutes({ app: 'shop' }))).map(({ route }) => route)).toEqual(['/cart']);
  });

  it('of ours, which have no index, are searched a stretch at a time', async () => {
    await record([own, ...Array.from({ length: 20_100 }, () => shop)]);
    const page = await ask(() => listFlights({ app: ownApp }, { limit: 100 }));
    expect(page.flights).toEqual([]);
    const next = page.next ?? 0;
    expect(next).toBeGreaterThan(1);
    const older = await ask(() => listFlights({ app: ownApp }, { limit: 100, before: next }));
    expect(older.flights.map((flight) => flight.id)).toEqual([1]);
  });

  it('are what totals, the ledger and a digest are of', async () => {
    const prefetch = { kind: 'prefetch' } as const;
    await record([
      { ...shop, ...prefetch, path: '/a', digests: ['SAME'] },
      { ...own, ...prefetch, path: '/b', digests: ['SAME'] },
    ]);
    expect((await ask(() => sumRoutes())).map(({ route }) => route).toSorted()).toEqual(['/cart', '/lab']);
    expect((await ask(() => sumRoutes({ app: 'shop' }))).map(({ route }) => route)).toEqual(['/cart']);
    expect((await ask(() => sumRoutes({ app: ownApp }))).map(({ route }) => route)).toEqual(['/lab']);
    expect((await ask(() => readPrefetchLedger({ filter: { app: 'shop' } }, 'link'))).map((link) => link.name)).toEqual(
      ['/a'],
    );
    expect(await ask(() => readPrefetchLedger({}, 'link'))).toHaveLength(2);
    expect((await ask(() => findFlightsByDigest('SAME', 'shop'))).map((flight) => flight.id)).toEqual([1]);
    expect(await ask(() => findFlightsByDigest('SAME'))).toHaveLength(2);
  });

  it('are counted, with the newest and its framework', async () => {
    await record([
      { ...shop, startedAt: 1_000, knownFramework: 'next' },
      { ...shop, startedAt: 2_000 },
      { ...own, startedAt: 3_000 },
      { ...own, startedAt: 3_000, hits: 5, lastAt: 3_500, traceId: '' },
    ]);
    const counts = await ask(() => countAppFlights([ownApp, 'shop', 'nobody']));
    expect(counts).toEqual(
      new Map([
        [ownApp, { flights: 6, lastAt: 3_000, framework: undefined }],
        ['shop', { flights: 2, lastAt: 2_000, framework: 'next' }],
      ]),
    );
  });

  // PostgreSQL's planner reads a table of one row as it is, whatever its indexes.
  it.skipIf(testedEngine === 'postgres')('are read from the index of apps', async () => {
    await record([shop]);
    const db = await openFlightsReader();
    const plan = await db?.executeQuery(
      (await import('kysely')).CompiledQuery.raw(
        "explain query plan select id from flight where app = ? and app != 'flight-recorder' and id < 9 order by id desc",
        ['shop'],
      ),
    );
    expect(JSON.stringify(plan?.rows)).toContain('flight_app');
  });
});

describe('deleting an app', () => {
  const never = new AbortController().signal;

  it('deletes its flights alone, and says how many are left', async () => {
    await record([...Array.from({ length: 300 }, () => shop), own, { app: 'other' }]);
    expect((await listRecordedApps()).toSorted()).toEqual(['other', 'shop']);
    const left: number[] = [];
    await deleteAppFlights('shop', (count) => left.push(count), never);
    expect(left[0]).toBe(300);
    expect(left.at(-1)).toBe(0);
    expect(await listRecordedApps()).toEqual(['other']);
    expect(await listIds({})).toEqual([302, 301]);
  });

  it('lets flights be written meanwhile, and leaves those that came after it began', async () => {
    await record(Array.from({ length: 300 }, () => shop));
    let isFirst = true;
    await deleteAppFlights(
      'shop',
      () => {
        if (isFirst) void record([shop, own]);
        isFirst = false;
      },
      never,
    );
    expect(await listIds({})).toEqual([302, 301]);
  });

  it('ends before the next slice when it is told to, and goes on when it is asked again', async () => {
    await record(Array.from({ length: 300 }, () => shop));
    const left: number[] = [];
    const stopped = AbortSignal.abort(new Error('the server stops'));
    await expect(deleteAppFlights('shop', (count) => left.push(count), stopped)).rejects.toThrow('the server stops');
    expect(left).toEqual([]);
    expect(await listRecordedApps()).toEqual(['shop']);
    await deleteAppFlights('shop', () => {}, never);
    expect(await listRecordedApps()).toEqual([]);
  });

  it('never deletes our own', async () => {
    await record([own]);
    await expect(deleteAppFlights(ownApp, () => {}, never)).rejects.toThrow('deleted with all others');
    expect(await listIds({})).toEqual([1]);
  });
});
