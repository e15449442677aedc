'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { pauseChannel } from '#src/faults/alerts/channels.ts';
import { noteOutcome } from '#src/faults/alerts/form-outcome.ts';
import { requireOperator } from '#src/access/require-operator.ts';

/** The field `paused` says what is to be: `yes` or `no`. So a form that is sent twice does not undo itself. */
export async function pauseAlertChannel(form: FormData): Promise<void> {
  requireOperator();
  const [id, paused] = [form.get('id'), form.get('paused')];
  const isKnown = typeof id === 'string' && (await pauseChannel(id, paused === 'yes'));
  if (!isKnown) noteOutcome({ type: 'gone' });
  rerenderRoute();
}
