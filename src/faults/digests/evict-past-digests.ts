import 'server-only';

import type { Store } from '#src/store/open-store.ts';
import { evictOrigin, sweepPastDigests } from '#src/store/past-digests.ts';

import { findMost, readHeld, sumOf } from '../kept/measure-kept.ts';

/**
 * Of `FLIGHT_DATA_LIMIT`, for the digests of errors that were deleted: of the usual size five million with the default of 2 GiB, and a
 * million on PostgreSQL (bench/past-digests.ts). With what faults (12 %), their users (2.5 %) and reports (5 %) keep while space is short,
 * errors still have more than half.
 */
const pastShare = 0.075;

/**
 * One step: the app that has most loses the origin that was silent for longest, and digests of those that are gone are deleted.
 * @returns 0 when nothing is left to do
 */
export async function evictPastDigests({ db, limitBytes }: Pick<Store, 'db' | 'limitBytes'>): Promise<number> {
  const held = await readHeld(db, 'past-digest');
  const most = findMost(held, 'bytes');
  if (most && sumOf(held, 'bytes') > pastShare * limitBytes) await evictOrigin(db, most.app);
  return (await sweepPastDigests(db)) ? 1 : 0;
}
