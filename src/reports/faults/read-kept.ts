import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';

/** How many occurrences of each fault still have their row: retention deletes some, and their counts stay. Every fault asked for is in it. */
export async function readKept(
  faults: readonly string[],
): Promise<ReadonlyMap<string, { readonly errors: number; readonly reports: number }>> {
  requireOperator();
  const kept = new Map(faults.map((id) => [id, { errors: 0, reports: 0 }]));
  if (kept.size === 0) return kept;
  const { db } = await openStore();
  for (const [table, key] of [
    ['error', 'errors'],
    ['report', 'reports'],
  ] as const) {
    const rows = await db
      .selectFrom(table)
      .select(['fault', ({ fn }) => fn.countAll<number>().as('count')])
      .where('fault', 'in', [...kept.keys()])
      .groupBy('fault')
      .execute();
    for (const { fault, count } of rows) {
      const of = fault === null ? undefined : kept.get(fault);
      if (of) of[key] = count;
    }
  }
  return kept;
}
