'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { addChannel } from '#src/alerts/channels.ts';
import { noteOutcome, type FormOutcome } from '#src/alerts/form-outcome.ts';
import { parseChannelForm } from '#src/alerts/parse-channel-form.ts';
import { readMail } from '#src/alerts/send-email.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { requireOperator } from '#src/operator/require-operator.ts';

async function add(form: FormData): Promise<FormOutcome> {
  const known = (await listAppNames()).map(({ id }) => id);
  const draft = parseChannelForm(form, known);
  if (typeof draft === 'string') return { type: 'refused', problem: draft, typed: form };
  if (draft.kind === 'email' && !readMail()) return { type: 'refused', problem: 'no-mail', typed: form };
  const added = await addChannel(draft);
  if (typeof added === 'string') return { type: 'refused', problem: added, typed: form };
  return { type: 'added', name: draft.name, secret: added.secret };
}

/** Its fields: src/alerts/parse-channel-form.ts. The page says what came of it, with the secret of a webhook, this once. */
export async function addAlertChannel(form: FormData): Promise<void> {
  requireOperator();
  noteOutcome(await add(form));
  rerenderRoute();
}
