import 'server-only';

import { sql } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { selectEvents } from '../kept/select-events.ts';

/** More tell nobody more, and each is a look at a row. */
const rowsRead = 10_000;

/**
 * How many visitors saw the digest of this fault on a page, as browsers tell. A visitor is a trace: a document with all that followed.
 * No cookie tells who comes again. Of errors whose rows were deleted nobody knows any more.
 */
export async function countVisitors(fault: { readonly id: string }): Promise<number> {
  requireOperator();
  const { db } = await openStore();
  const shown = selectEvents(db, 'browser')
    .select('trace_id')
    .where('fault', '=', fault.id)
    .where('digest', 'is not', null)
    .where('trace_id', '<>', '')
    .limit(rowsRead);
  const { visitors } = await db
    .selectFrom(shown.as('shown'))
    .select(sql<number>`count(distinct trace_id)`.as('visitors'))
    .executeTakeFirstOrThrow();
  return visitors;
}
