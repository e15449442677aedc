import 'server-only';

import { requireReader } from '#src/access/require-reader.ts';
import { isTrusted } from '#src/store/event-columns.ts';
import { openStore } from '#src/store/open-store.ts';

type Kept = { readonly errors: number; readonly untrusted: number };

/**
 * How many errors of each fault still have their row: retention deletes some, and the fault's counts stay. Every fault that was
 * asked for is in the answer.
 */
export async function readKept(faults: readonly string[]): Promise<ReadonlyMap<string, Kept>> {
  requireReader();
  const kept = new Map<string, Kept>(faults.map((id) => [id, { errors: 0, untrusted: 0 }]));
  if (kept.size === 0) return kept;
  const { db } = await openStore();
  const rows = await db
    .selectFrom('kept_fault')
    .select(['side', 'fault', 'rows'])
    .where('fault', 'in', [...kept.keys()])
    .execute();
  for (const { side, fault, rows: count } of rows) {
    const { errors = 0, untrusted = 0 } = kept.get(fault) ?? {};
    kept.set(fault, isTrusted(side) ? { errors: count, untrusted } : { errors, untrusted: count });
  }
  return kept;
}
