'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { testChannel } from '#src/faults/alerts/channels.ts';
import { noteOutcome } from '#src/faults/alerts/form-outcome.ts';
import { requireOperator } from '#src/access/require-operator.ts';

/** Waits for the receiver, ten seconds at most, so that the page can say what happened. */
export async function testAlertChannel(form: FormData): Promise<void> {
  requireOperator();
  const id = form.get('id');
  const sent = typeof id === 'string' ? await testChannel(id) : undefined;
  noteOutcome(typeof id === 'string' && sent ? { type: 'tested', channel: id, sent } : { type: 'gone' });
  rerenderRoute();
}
