import 'server-only';

import type { Store } from '#src/store/open-store.ts';
import { deletePastDigests } from '#src/store/past-digests.ts';

import { findMost, readHeld, sumOf } from '../kept/measure-kept.ts';

/**
 * Of `FLIGHT_DATA_LIMIT`, for the digests of errors that were deleted: of the usual size a million are 11.3 % of the default of 2 GiB as
 * they are counted (bench/past-digests.ts). With what faults (12 %), their users (2.5 %) and reports (5 %) keep while space is short,
 * errors still have more than half.
 */
const pastShare = 0.125;
/** Some 10 ms. With the pauses of retention 10,000 a second, which is more than errors come. */
const evictedAtOnce = 500;

/**
 * One step: deletes the oldest of the app that has most.
 * @returns how many
 */
export async function evictPastDigests({ db, limitBytes }: Pick<Store, 'db' | 'limitBytes'>): Promise<number> {
  const held = await readHeld(db, 'past-digest');
  const most = findMost(held, 'bytes');
  if (!most || sumOf(held, 'bytes') <= pastShare * limitBytes) return 0;
  return deletePastDigests(db, most.app, evictedAtOnce);
}
