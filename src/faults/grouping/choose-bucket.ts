import 'server-only';

import { hourMs } from './hours.ts';

/** More bars than this are thinner than a finger on a phone. */
const bucketsAtMost = 60;
const day = 24 * hourMs;
/** Steps that read well on an axis. Counts are kept by the hour. */
const bucketSizes = [
  ...[1, 2, 3, 6, 12].map((count) => count * hourMs),
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
