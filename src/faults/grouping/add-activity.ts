import 'server-only';

import type { Kysely } from 'kysely';

import { compileOnce } from '#src/store/compile-once.ts';
import { compileWith } from '#src/store/compile-with.ts';
import type { FaultActivityTable, Tables } from '#src/store/schema.ts';

import { createActivityId } from './activity-id.ts';

type Activity = Pick<FaultActivityTable, 'fault' | 'app' | 'time' | 'type' | 'by'> & {
  readonly error?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  /** The first activity of the batch that this one belongs to; `'first'`: it is the first. Without it nobody can undo the activity. */
  readonly batch?: string;
};

const insertActivity = compileWith<{
  id: string;
  fault: string;
  app: string;
  time: number;
  type: FaultActivityTable['type'];
  by: FaultActivityTable['by'];
  error: string | null;
  detail_json: string;
  batch: string | null;
}>((db, value) =>
  db.insertInto('fault_activity').values({
    id: value('id'),
    fault: value('fault'),
    app: value('app'),
    time: value('time'),
    type: value('type'),
    by: value('by'),
    error: value('error'),
    detail_json: value('detail_json'),
    batch: value('batch'),
    undone: null,
  }),
);

/** One look at the end of an index. */
const selectLatest = compileOnce((db) => db.selectFrom('fault_activity').select('id').orderBy('id', 'desc').limit(1));

/** @returns its id */
export async function addActivity(trx: Kysely<Tables>, activity: Activity): Promise<string> {
  const { detail = {}, error, batch, ...given } = activity;
  const [last] = await selectLatest(trx);
  const id = createActivityId(last?.id);
  await insertActivity(trx, {
    ...given,
    id,
    error: error ?? null,
    detail_json: JSON.stringify(detail),
    batch: batch === 'first' ? id : (batch ?? null),
  });
  return id;
}

/** The error that made something happen has another row now. */
export async function renameReason(trx: Kysely<Tables>, from: string, to: string): Promise<void> {
  await trx.updateTable('fault_activity').set({ error: to }).where('error', '=', from).execute();
}
