import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';

/**
 * What the operator makes of faults. Each call is one transaction and one batch of turns, which `undoTurns` takes back as a
 * whole. What cannot be done for one of the faults is not done for any.
 */

/** A page of the list has fewer. A form has at most 1,000 fields, and a transaction of so many takes a tenth of a second. */
export const faultsAtOnce = 1_000;

export type TriageChange =
  | { readonly type: 'open' }
  | { readonly type: 'resolve' }
  | { readonly type: 'resolve-in'; readonly release: string }
  | { readonly type: 'resolve-next' }
  | { readonly type: 'snooze'; readonly hours: number }
  | { readonly type: 'snooze-volume'; readonly count: number; readonly hours: number }
  | { readonly type: 'mute' };

/** Why nothing was changed. */
export type Refusal =
  | 'nothing-chosen'
  | 'too-many'
  /** A field that the form does not have, or a number out of its range. */
  | 'malformed'
  /** One of the faults or hashes is not there, or not where the page showed it. */
  | 'gone'
  /** Faults of two apps are never one. */
  | 'different-apps'
  /** A fault keeps at least one hash. */
  | 'all-hashes'
  /** To undo it would undo what was done later, too. */
  | 'changed-since';

export type TriageResult =
  | { readonly type: 'done'; readonly batch: string; readonly turns: readonly string[] }
  /** It was so before. */
  | { readonly type: 'unchanged' }
  | { readonly type: 'refused'; readonly reason: Refusal };

export async function triageFaults(faults: readonly string[], change: TriageChange): Promise<TriageResult> {
  requireOperator();
  throw new Error(`Not built yet: ${change.type} for ${faults.length} faults`);
}
