'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { requireOperator } from '#src/operator/require-operator.ts';
import { noteOutcome } from '#src/reports/scrubbing/form-outcome.ts';
import { startRescrub } from '#src/reports/scrubbing/rescrub.ts';

export async function scrubStored(): Promise<void> {
  requireOperator();
  noteOutcome({ type: 'started', wasRunning: !(await startRescrub()) });
  rerenderRoute();
}
