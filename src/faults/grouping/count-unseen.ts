import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

/** More is "many". */
const mostCounted = 100;

/**
 * Open faults that became new, or came back, after a time: for a page that is open. Read from the end of an index, so it costs
 * the same however many faults there are.
 * @param since milliseconds since 1970, by our clock
 * @param app of which they are; undefined: of all
 */
export async function countUnseenFaults(since: number, app?: string): Promise<number> {
  requireOperator();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('fault')
    .select('id')
    .where('state', '=', 'open')
    .where('last_time', '>', since)
    .where('state_time', '>', since)
    .where('unseen', 'is not', null)
    .where('merged_into', 'is', null)
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
    .limit(mostCounted)
    .execute();
  return rows.length;
}
