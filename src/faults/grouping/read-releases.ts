import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

export type Release = {
  readonly name: string;
  /** When it was first heard of, by our clock. */
  readonly firstTime: number;
};

/** More than a page can show, and some hundred bytes each. */
const releasesRead = 200;

/**
 * An app's releases, the newest first. What browsers alone report stands behind what servers, uploads and the operator named.
 * @param side only those that were named there
 */
export async function readReleases(app: string, side?: 'server' | 'browser'): Promise<readonly Release[]> {
  requireOperator();
  const { db } = await openStore();
  return db
    .selectFrom('app_release')
    .select(({ fn }) => ['name', fn.min<number>('first_time').as('firstTime')])
    .where('app', '=', app)
    .$if(side !== undefined, (query) => query.where('side', '=', side ?? 'server'))
    .groupBy('name')
    .orderBy(({ fn }) => fn.max('side'), 'desc')
    .orderBy('firstTime', 'desc')
    .orderBy('name')
    .limit(releasesRead)
    .execute();
}
