'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { requireOperator } from '#src/operator/require-operator.ts';
import { backTo } from '#src/reports/faults/back-to.ts';
import { undoTurns as undo } from '#src/reports/faults/undo-turns.ts';

/** Fields: `batch`, or `turn` (repeated); `back`, the address of the page. */
export async function undoTurns(form: FormData): Promise<void> {
  requireOperator();
  const batch = form.get('batch');
  const turns = form.getAll('turn').filter((id) => typeof id === 'string');
  redirect(backTo(form.get('back'), await undo(typeof batch === 'string' ? { batch } : { turns })));
}
