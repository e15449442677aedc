'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { addChannel } from '#src/faults/alerts/channels.ts';
import { noteOutcome, type FormOutcome } from '#src/faults/alerts/form-outcome.ts';
import { findChannelKind } from '#src/faults/alerts/kinds/channel-kinds.ts';
import { parseChannelForm } from '#src/faults/alerts/parse-channel-form.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { requireOperator } from '#src/access/require-operator.ts';

async function add(form: FormData): Promise<FormOutcome> {
  const known = (await listAppNames()).map(({ id }) => id);
  const draft = parseChannelForm(form, known);
  if (typeof draft === 'string') return { type: 'refused', problem: draft, typed: form };
  const lack = findChannelKind(draft.kind)?.readLack();
  if (lack !== undefined) return { type: 'refused', problem: 'cannot-send', typed: form };
  const added = await addChannel(draft);
  if (typeof added === 'string') return { type: 'refused', problem: added, typed: form };
  return { type: 'added', name: draft.name, secret: added.secret };
}

/** Adds a channel; `parse-channel-form.ts` has the fields. The page says what came of it, with the secret of a webhook, this once. */
export async function addAlertChannel(form: FormData): Promise<void> {
  requireOperator();
  noteOutcome(await add(form));
  rerenderRoute();
}
