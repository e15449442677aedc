'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { removeChannel } from '#src/faults/alerts/channels.ts';
import { noteOutcome } from '#src/faults/alerts/form-outcome.ts';
import { requireOperator } from '#src/access/require-operator.ts';

export async function removeAlertChannel(form: FormData): Promise<void> {
  requireOperator();
  const id = form.get('id');
  const isRemoved = typeof id === 'string' && (await removeChannel(id));
  noteOutcome({ type: isRemoved ? 'removed' : 'gone' });
  rerenderRoute();
}
