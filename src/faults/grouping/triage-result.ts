import 'server-only';

/** Why nothing was changed. */
export type Refusal =
  | 'nothing-chosen'
  /** Merging needs two. */
  | 'only-one'
  | 'too-many'
  /** A field that the form does not have, or a number out of its range. */
  | 'malformed'
  /** One of the faults or hashes is not there, or not where the page showed it. */
  | 'gone'
  /** Faults of two apps are never one. */
  | 'different-apps'
  /** A fault keeps at least one hash. */
  | 'all-hashes'
  /** What is kept of the fault does not differ in that. */
  | 'all-alike'
  /** It was put together again a moment ago, and its errors follow. */
  | 'still-joining'
  /** To undo it would undo what was done later, too. */
  | 'changed-since';

export type TriageResult =
  | {
      readonly type: 'done';
      /** See `fault_activity.batch`. */ readonly batch: string;
      readonly activities: readonly string[];
    }
  /** It was so before. */
  | { readonly type: 'unchanged' }
  | { readonly type: 'refused'; readonly reason: Refusal };

/** A page of the list has fewer. A form has at most 1,000 fields, and a transaction of so many takes a tenth of a second. */
export const faultsAtOnce = 1_000;

export function refuse(reason: Refusal): TriageResult {
  return { type: 'refused', reason };
}

/** For the words that stand in an address. */
export function isRefusal(text: string): text is Refusal {
  return Object.hasOwn(refusals, text);
}

const refusals = {
  'nothing-chosen': true,
  'only-one': true,
  'too-many': true,
  malformed: true,
  gone: true,
  'different-apps': true,
  'all-hashes': true,
  'all-alike': true,
  'still-joining': true,
  'changed-since': true,
} as const satisfies Record<Refusal, true>;
