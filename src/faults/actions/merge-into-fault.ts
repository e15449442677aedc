'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { backTo } from '#src/faults/grouping/back-to.ts';
import { mergeFaults } from '#src/faults/grouping/merge-faults.ts';
import { readFaultId } from '#src/faults/grouping/read-fault-id.ts';

/** Fields: `fault`, which stays; `other`, the id or the address of the one that goes into it; `back`, the address of the page. */
export async function mergeIntoFault(form: FormData): Promise<void> {
  requireOperator();
  const [fault, typed] = [form.get('fault'), form.get('other')];
  const other = typeof typed === 'string' ? readFaultId(typed) : undefined;
  const result =
    typeof fault === 'string' && other !== undefined
      ? await mergeFaults([fault, other], fault)
      : ({ type: 'refused', reason: 'malformed' } as const);
  redirect(backTo(form.get('back'), result));
}
