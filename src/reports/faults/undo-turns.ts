import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';

import type { TriageResult } from './triage.ts';

/** Takes turns back: the given ones, or all of a batch. Exactly what they changed is restored, and what came since stays. */
export async function undoTurns(
  what: { readonly turns: readonly string[] } | { readonly batch: string },
): Promise<TriageResult> {
  requireOperator();
  throw new Error(`Not built yet: undoing ${JSON.stringify(what)}`);
}
