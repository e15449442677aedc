import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { chooseBucketMs } from './choose-bucket.ts';
import { hourOf } from './hours.ts';

/** What is counted hour by hour, so that occurrences whose rows were deleted still count. */
export type FaultChart = {
  readonly bucketMs: number;
  /** Without gaps, oldest first, from the first occurrence until now. */
  readonly buckets: readonly { readonly start: number; readonly count: number }[];
  /** Releases that were first heard of in that time, oldest first. */
  readonly releases: readonly { readonly name: string; readonly time: number }[];
};

/** More lines than this hide the bars. */
const releasesShown = 12;

async function readReleases(
  db: Kysely<Tables>,
  app: string,
  from: number,
  to: number,
): Promise<FaultChart['releases']> {
  const rows = await db
    .selectFrom('app_release')
    .select(['name', 'first_time as time'])
    .where('app', '=', app)
    .where('first_time', '>=', from)
    .where('first_time', '<', to)
    .orderBy('first_time', 'desc')
    .limit(releasesShown)
    .execute();
  return rows.toReversed();
}

/** Occurrences and claims together. Undefined while nothing was counted. */
export async function readFaultChart(
  fault: { readonly id: string; readonly app: string },
  now: number,
): Promise<FaultChart | undefined> {
  requireOperator();
  const { db } = await openStore();
  const hours = await db
    .selectFrom('fault_hash')
    .innerJoin('fault_hour', (join) =>
      join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
    )
    .select(['fault_hour.hour', sql<number>`sum(fault_hour.count + fault_hour.claims)`.as('count')])
    .where('fault_hash.fault', '=', fault.id)
    .groupBy('fault_hour.hour')
    .orderBy('fault_hour.hour')
    .execute();
  const [first] = hours;
  if (!first) return undefined;
  // A clock that was set back has hours to come.
  const last = Math.max(hourOf(now), hours.at(-1)?.hour ?? 0);
  const bucketMs = chooseBucketMs(first.hour, last);
  const counts = new Map<number, number>();
  for (const { hour, count } of hours) {
    const at = Math.floor(hour / bucketMs);
    counts.set(at, (counts.get(at) ?? 0) + count);
  }
  const [from, to] = [Math.floor(first.hour / bucketMs), Math.floor(last / bucketMs)];
  return {
    bucketMs,
    buckets: Array.from({ length: to - from + 1 }, (_, index) => ({
      start: (from + index) * bucketMs,
      count: counts.get(from + index) ?? 0,
    })),
    releases: await readReleases(db, fault.app, from * bucketMs, (to + 1) * bucketMs),
  };
}
