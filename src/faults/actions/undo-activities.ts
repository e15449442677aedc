'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { backTo } from '#src/faults/grouping/back-to.ts';
import { undoActivities as undo } from '#src/faults/grouping/undo-activities.ts';

/** Fields: `batch`, or `activity` (repeated); `back`, the address of the page. */
export async function undoActivities(form: FormData): Promise<void> {
  requireOperator();
  const batch = form.get('batch');
  const activities = form.getAll('activity').filter((id) => typeof id === 'string');
  redirect(backTo(form.get('back'), await undo(typeof batch === 'string' ? { batch } : { activities })));
}
