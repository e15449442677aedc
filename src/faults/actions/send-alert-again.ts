'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { sendAgain } from '#src/faults/alerts/channels.ts';
import { noteOutcome } from '#src/faults/alerts/form-outcome.ts';
import { requireOperator } from '#src/access/require-operator.ts';

export async function sendAlertAgain(form: FormData): Promise<void> {
  requireOperator();
  const id = form.get('id');
  if (typeof id === 'string') noteOutcome({ type: 'sent-again', delivery: id, sent: await sendAgain(id) });
  rerenderRoute();
}
