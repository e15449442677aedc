'use server';

import { unstable_redirect as redirect } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { backTo } from '#src/faults/grouping/back-to.ts';
import { readTriageChange } from '#src/faults/grouping/read-triage-change.ts';
import { triageFaults as triage } from '#src/faults/grouping/triage.ts';

/**
 * Fields: `fault` (repeated, or several ids with commas between them), `to` (`open`, `resolve`, `resolve-in`, `resolve-next`,
 * `snooze`, `snooze-volume`, `mute`), with `release` for `resolve-in`, `hours` for the two snoozes and `count` for
 * `snooze-volume`; `back`, the address of the page.
 */
export async function triageFaults(form: FormData): Promise<void> {
  requireOperator();
  const change = readTriageChange(form);
  const result = change
    ? await triage(
        form.getAll('fault').flatMap((ids) => (typeof ids === 'string' ? ids.split(',') : [])),
        change,
      )
    : ({ type: 'refused', reason: 'malformed' } as const);
  redirect(backTo(form.get('back'), result));
}
