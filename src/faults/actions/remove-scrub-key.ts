'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { noteOutcome } from '#src/faults/scrubbing/form-outcome.ts';
import { removeOwnKey } from '#src/faults/scrubbing/own-keys.ts';

export async function removeScrubKey(form: FormData): Promise<void> {
  requireOperator();
  const name = form.get('name');
  if (typeof name === 'string') noteOutcome({ type: 'key-removed', name, wasThere: await removeOwnKey(name) });
  rerenderRoute();
}
