'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { scrubSecrets, scrubText } from '#src/faults/scrubbing/scrub.ts';
import { noteOutcome } from '#src/faults/scrubbing/form-outcome.ts';

/** As long as the longest message that is kept. */
const textLimit = 8_192;

/** Shows what a text becomes. Nothing is stored. */
export async function tryScrubbing(form: FormData): Promise<void> {
  requireOperator();
  const given = form.get('text');
  const text = typeof given === 'string' ? given.slice(0, textLimit) : '';
  noteOutcome({ type: 'tried', text, ofBrowser: scrubText(text), ofServer: scrubSecrets(text) });
  rerenderRoute();
}
