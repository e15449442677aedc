import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultActivityTable } from '#src/store/schema.ts';

import { isRefusal, type Refusal } from './triage-result.ts';

/**
 * What came of a form. The form's answer is a redirect to the page it was on, with `?done=`: the batch of the activities that were
 * made, or a word for why none were. So the notice is there with and without JavaScript, and a reload sends nothing again.
 */
export type TriageNotice =
  | {
      readonly type: 'done';
      readonly batch: string;
      readonly activity: FaultActivityTable['type'];
      /** How many faults. */
      readonly count: number;
      readonly isUndone: boolean;
    }
  | { readonly type: 'unchanged' }
  | { readonly type: 'refused'; readonly reason: Refusal };

/** @param done the value of `?done=`, as it came; undefined for text that says nothing. */
export async function readTriageNotice(done: string): Promise<TriageNotice | undefined> {
  requireOperator();
  if (done === 'unchanged') return { type: 'unchanged' };
  if (isRefusal(done)) return { type: 'refused', reason: done };
  if (!/^[\da-f]{20}$/.test(done)) return undefined;
  const { db } = await openStore();
  const activities = await db
    .selectFrom('fault_activity')
    .select(['fault', 'type', 'undone'])
    .where('batch', '=', done)
    .orderBy('id')
    .execute();
  const [first] = activities;
  if (!first) return undefined;
  return {
    type: 'done',
    batch: done,
    activity: first.type,
    count: new Set(activities.map(({ fault }) => fault)).size,
    isUndone: activities.every(({ undone }) => undone !== null),
  };
}
