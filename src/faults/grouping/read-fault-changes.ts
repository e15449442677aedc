import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { isOfStream } from './release-stream.ts';

/**
 * What changed when a fault was first seen: the release that it came with, and the one of the same package before. Times are when each was
 * first heard of.
 */
export type FaultChanges = {
  readonly release: string;
  readonly releaseTime: number;
  readonly before: { readonly release: string; readonly time: number } | undefined;
};

/** Returns undefined where senders name no release. */
export async function readFaultChanges(fault: {
  readonly app: string;
  readonly firstRelease: string;
}): Promise<FaultChanges | undefined> {
  requireOperator();
  if (fault.firstRelease === '') return undefined;
  const { db } = await openStore();
  const releases = db.selectFrom('app_release').select(['name', 'side', 'first_time']).where('app', '=', fault.app);
  // What a server said comes before what browsers reported, and no untrusted error is the release before that of a server.
  const first = await releases.where('name', '=', fault.firstRelease).orderBy('side', 'desc').executeTakeFirst();
  if (!first) return undefined;
  const before = await releases
    .where('side', '=', first.side)
    .where('first_time', '<', first.first_time)
    .where(isOfStream(fault.firstRelease))
    .orderBy('first_time', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    release: first.name,
    releaseTime: first.first_time,
    before: before && { release: before.name, time: before.first_time },
  };
}
