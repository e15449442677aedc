import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { chooseBucketMs } from './choose-bucket.ts';
import { hourCounted } from './counted.ts';
import { hourOf } from './hours.ts';
import { isOfStream } from './release-stream.ts';

type ChartedFault = { readonly id: string; readonly app: string; readonly firstRelease: string };

/** What is counted hour by hour, so that errors whose rows were deleted still count. */
export type FaultChart = {
  readonly bucketMs: number;
  /** Without gaps, oldest first, from the first error until now. */
  readonly buckets: readonly { readonly start: number; readonly count: number }[];
  /** Releases of the same package that were first heard of in that time, oldest first. */
  readonly releases: readonly { readonly name: string; readonly time: number }[];
};

/** More lines than this hide the bars. */
const releasesShown = 12;

async function readReleases(
  db: Kysely<Tables>,
  { app, firstRelease }: ChartedFault,
  from: number,
  to: number,
): Promise<FaultChart['releases']> {
  const rows = await db
    .selectFrom('app_release')
    .select(({ fn }) => ['name', fn.min<number>('first_time').as('time')])
    .where('app', '=', app)
    // Where senders name none, no release is another package's.
    .$if(firstRelease !== '', (query) => query.where(isOfStream(firstRelease)))
    .groupBy('name')
    .having(({ fn }) => fn.min('first_time'), '>=', from)
    .having(({ fn }) => fn.min('first_time'), '<', to)
    // What browsers alone report takes no place of what servers named.
    .orderBy(({ fn }) => fn.max('side'), 'desc')
    .orderBy('time', 'desc')
    .limit(releasesShown)
    .execute();
  return rows.toSorted((a, b) => a.time - b.time);
}

/** Errors, or untrusted errors where there are only those. Undefined while nothing was counted. */
export async function readFaultChart(fault: ChartedFault, now: number): Promise<FaultChart | undefined> {
  requireOperator();
  const { db } = await openStore();
  const hours = await db
    .selectFrom('fault_hash')
    .innerJoin('fault_hour', (join) =>
      join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
    )
    .leftJoin('fault', 'fault.id', 'fault_hash.fault')
    .select(({ fn }) => ['fault_hour.hour', fn.sum<number>(hourCounted).as('count')])
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
    releases: await readReleases(db, fault, from * bucketMs, (to + 1) * bucketMs),
  };
}
