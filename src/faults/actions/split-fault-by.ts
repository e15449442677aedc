'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { backTo } from '#src/faults/grouping/back-to.ts';
import { splitFaultBy as split } from '#src/faults/grouping/split-by.ts';
import { isTrait } from '#src/runtime/errors/grouping.ts';

/** Fields: `fault`; `trait`, what tells its errors apart: `line`, `cause` or `message`; `back`, the address of the page. */
export async function splitFaultBy(form: FormData): Promise<void> {
  requireOperator();
  const [fault, trait] = [form.get('fault'), form.get('trait')];
  const isGiven = typeof fault === 'string' && (trait === null || isTrait(trait));
  const result = !isGiven
    ? ({ type: 'refused', reason: 'malformed' } as const)
    : trait === null
      ? ({ type: 'refused', reason: 'nothing-chosen' } as const)
      : await split(fault, trait);
  redirect(backTo(form.get('back'), result));
}
