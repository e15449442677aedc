'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { requireOperator } from '#src/access/require-operator.ts';
import { noteOutcome } from '#src/faults/scrubbing/form-outcome.ts';
import { startRescrub } from '#src/faults/scrubbing/rescrub.ts';

export async function scrubStored(): Promise<void> {
  requireOperator();
  noteOutcome({ type: 'started', wasRunning: !(await startRescrub()) });
  rerenderRoute();
}
