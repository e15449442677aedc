'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { noteOutcome } from '#src/faults/scrubbing/form-outcome.ts';
import { addOwnKeys } from '#src/faults/scrubbing/own-keys.ts';

/** As many names as there may be, each with its line. */
const typedLimit = 10_000;

/** The field `names` has one name a line. */
export async function addScrubKeys(form: FormData): Promise<void> {
  requireOperator();
  const names = form.get('names');
  const typed = typeof names === 'string' ? names.slice(0, typedLimit) : '';
  noteOutcome({ type: 'keys-added', result: await addOwnKeys(typed), typed });
  rerenderRoute();
}
