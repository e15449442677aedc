import 'server-only';

import { countTriesIn, type TryTotal } from '../recorder/count-tries.ts';
import type { StoredTry } from '../flight/forged-try.ts';
import { readForOperator } from './read-for-operator.ts';

/** As many as a person looks through; what is older is counted. */
const triesShown = 200;

export type Tries = {
  /** The newest first. */
  readonly tries: readonly StoredTry[];
  readonly totals: readonly TryTotal[];
};

/** @param app undefined: of all */
export function listTries(app: string | undefined): Promise<Tries> {
  return readForOperator({ tries: [], totals: [] }, async (db) => {
    const all = db.selectFrom('forged').selectAll().orderBy('last_at', 'desc').limit(triesShown);
    const tries = await (app === undefined ? all : all.where('app', '=', app)).execute();
    const totals = await countTriesIn(db);
    return { tries, totals: totals.filter((total) => app === undefined || total.app === app) };
  });
}
