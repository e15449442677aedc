import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { selectEvents } from '../kept/select-events.ts';

/** Of the kept errors of a fault: how many were submissions, and the framework of the last. */
export async function countLost(fault: string): Promise<{ readonly lost: number; readonly framework: string }> {
  requireOperator();
  const { db } = await openStore();
  const rows = await selectEvents(db, 'server')
    .select(['kind', 'framework'])
    .where('fault', '=', fault)
    .orderBy('time', 'desc')
    .execute();
  return { lost: rows.filter(({ kind }) => kind === 'action').length, framework: rows[0]?.framework ?? '' };
}
