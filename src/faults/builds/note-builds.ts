import 'server-only';

import { openStore } from '#src/store/open-store.ts';

import { hearOfRelease } from '../grouping/count-error.ts';

export type SeenBuild = { readonly app: string; readonly build: string; readonly firstAt: number };

/**
 * A build is a release that was heard of in an answer: so it is known before its first error.
 * @returns false when there is no room
 */
export async function noteBuilds(seen: readonly SeenBuild[]): Promise<boolean> {
  const { commit } = await openStore();
  const result = await commit(async (trx) => {
    for (const { app, build, firstAt } of seen) {
      await hearOfRelease(trx, { app, side: 'server', name: build, time: firstAt });
    }
  }, 'app-error');
  return result === 'committed';
}
