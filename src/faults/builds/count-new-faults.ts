import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { selectFaults } from '../grouping/filter-faults.ts';

/** Faults of servers that began with a release: what browsers report names any. */
export function selectNewFaults(db: Kysely<Tables>, app: string) {
  return selectFaults(db, app).where('fault.side', '=', 'server').where('fault.first_release', '!=', '');
}

/** @returns how many faults began with each release */
export async function countNewFaults(app: string): Promise<ReadonlyMap<string, number>> {
  requireOperator();
  const { db } = await openStore();
  const rows = await selectNewFaults(db, app)
    .select(({ fn }) => ['fault.first_release as name', fn.countAll<number>().as('faults')])
    .groupBy('fault.first_release')
    .execute();
  return new Map(rows.map(({ name, faults }) => [name, Number(faults)]));
}
