import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { OutcomeTable } from '#src/store/schema.ts';

/** What of an app was received and not kept, or dropped by its SDKs before they sent it. */
export type NotKept = Pick<OutcomeTable, 'source' | 'type' | 'reason'> & {
  readonly app: string;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastTime: number;
};

/**
 * Lists what was not kept of all apps; of each, the most frequent first. The names are of closed lists, so there are a few hundred rows at
 * most.
 */
export async function listNotKept(): Promise<readonly NotKept[]> {
  requireOperator();
  const { db } = await openStore();
  return db
    .selectFrom('outcome')
    .select(['app', 'source', 'type', 'reason', 'count', 'last_time as lastTime'])
    .orderBy('app')
    .orderBy('count', 'desc')
    .orderBy('source')
    .orderBy('type')
    .orderBy('reason')
    .execute();
}
