import 'server-only';

import { type AliasableExpression, type Kysely, sql } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

import type { Incident } from './incident.ts';

/** More bars than this are thinner than a finger on a phone. */
const bucketsAtMost = 60;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Steps that read well on an axis. */
const bucketSizes = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28].map((count) => count * day),
];

/** The smallest bucket, in milliseconds, that covers both times in at most 60 buckets aligned to its multiples. */
export function chooseBucketMs(firstTime: number, lastTime: number): number {
  function fits(size: number): boolean {
    return Math.floor(lastTime / size) - Math.floor(firstTime / size) < bucketsAtMost;
  }
  let size = bucketSizes.find(fits) ?? 28 * day;
  while (!fits(size)) size *= 2;
  return size;
}

export type OccurrenceChart = Omit<Incident['occurrences'], 'others'>;

/**
 * Counts occurrences over time.
 * @param moments a query for their times, one row each; it must give at least one row.
 */
export async function chartOccurrences(
  db: Kysely<Tables>,
  moments: AliasableExpression<{ time: number }>,
): Promise<OccurrenceChart> {
  const span = await db
    .selectFrom(moments.as('moment'))
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      fn.min<number>('time').as('firstTime'),
      fn.max<number>('time').as('lastTime'),
    ])
    .executeTakeFirstOrThrow();
  const bucketMs = chooseBucketMs(span.firstTime, span.lastTime);
  // SQLite receives every number as a double, and would divide it as a double.
  const bucket = sql<number>`time / cast(${bucketMs} as bigint)`;
  const counted = await db
    .selectFrom(moments.as('moment'))
    .select(({ fn }) => [bucket.as('bucket'), fn.countAll<number>().as('count')])
    .groupBy(sql`1`)
    .execute();
  const counts = new Map(counted.map((row) => [row.bucket, row.count]));
  const buckets: { start: number; count: number }[] = [];
  for (let at = Math.floor(span.firstTime / bucketMs); at <= Math.floor(span.lastTime / bucketMs); at += 1) {
    buckets.push({ start: at * bucketMs, count: counts.get(at) ?? 0 });
  }
  return { ...span, bucketMs, buckets };
}
