'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { backTo } from '#src/faults/grouping/back-to.ts';
import { splitFault as split } from '#src/faults/grouping/merge-faults.ts';

/** Fields: `fault`; `hash` (repeated), which become a fault of their own; `back`, the address of the page. */
export async function splitFault(form: FormData): Promise<void> {
  requireOperator();
  const fault = form.get('fault');
  const hashes = form.getAll('hash').filter((hash) => typeof hash === 'string');
  const result =
    typeof fault === 'string' ? await split(fault, hashes) : ({ type: 'refused', reason: 'malformed' } as const);
  redirect(backTo(form.get('back'), result));
}
