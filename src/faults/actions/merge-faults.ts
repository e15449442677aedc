'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { backTo } from '#src/faults/grouping/back-to.ts';
import { mergeFaults as merge } from '#src/faults/grouping/merge-faults.ts';

/** Fields: `fault` (repeated, or with commas); `into`, optional: which of them stays, else the oldest; `back`, the address of the page. */
export async function mergeFaults(form: FormData): Promise<void> {
  requireOperator();
  const into = form.get('into');
  const faults = form.getAll('fault').flatMap((ids) => (typeof ids === 'string' ? ids.split(',') : []));
  const result = await merge(faults, typeof into === 'string' && into !== '' ? into : undefined);
  redirect(backTo(form.get('back'), result));
}
