import 'server-only';

import type { Kysely } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

import { asRecord, parseJson } from '../receive/untrusted-json.ts';
import { followFirst, markMoved } from './follow-hashes.ts';
import { sumFault } from './sum-fault.ts';
import { readTextList, type StoredActivity } from './activity-detail.ts';

/**
 * Takes back that a fault was split by what tells its errors apart: all that has the fingerprint of a part gets the one that was
 * split, also what came since (follow-hashes.ts). The faults of the parts lead to where they came from.
 */
type Hash = { readonly app: string; readonly hash: string; readonly fault: string };

/** The fingerprints that the turn split; undefined for a turn that only moved some of them. */
export function readSplitHashes({ detail_json }: Pick<StoredActivity, 'detail_json'>): readonly string[] | undefined {
  const detail = asRecord(parseJson(detail_json));
  if (typeof detail?.['trait'] !== 'string') return undefined;
  return readTextList(detail['hashes']);
}

/** Returns undefined when one of the parts was split further, or its fault has more than parts of this by now: that is undone first. */
async function listParts(trx: Kysely<Tables>, parent: Hash): Promise<readonly Hash[] | undefined> {
  const parts = await trx
    .selectFrom('fault_hash')
    .select(['app', 'hash', 'fault', 'split_by'])
    .where('app', '=', parent.app)
    .where('split_of', '=', parent.hash)
    .execute();
  if (parts.some(({ split_by }) => split_by !== null)) return undefined;
  const faults = new Set(parts.map(({ fault }) => fault).filter((fault) => fault !== parent.fault));
  for (const fault of faults) {
    const strange = await trx
      .selectFrom('fault_hash')
      .select('hash')
      .where('fault', '=', fault)
      .where(({ eb, or }) => or([eb('split_of', 'is', null), eb('split_of', '!=', parent.hash)]))
      .limit(1)
      .executeTakeFirst();
    if (strange) return undefined;
  }
  return parts;
}

/** @returns whether it could be undone */
export async function undoSplitBy(
  trx: Kysely<Tables>,
  { app }: StoredActivity,
  hashes: readonly string[],
): Promise<boolean> {
  for (const hash of hashes) {
    const parent = await trx
      .selectFrom('fault_hash')
      .select(['app', 'hash', 'fault'])
      .where('app', '=', app)
      .where('hash', '=', hash)
      .where('split_by', 'is not', null)
      .executeTakeFirst();
    const parts = parent && (await listParts(trx, parent));
    if (!parts) return false;
    await trx
      .updateTable('fault_hash')
      .set({ split_by: null })
      .where('app', '=', app)
      .where('hash', '=', hash)
      .execute();
    const joined = parts.map((part) => part.hash);
    if (joined.length > 0) await markMoved(trx, app, joined, parent.fault);
    await followFirst(trx, app, joined);
    const left = new Set(parts.map(({ fault }) => fault));
    for (const fault of left) {
      if (fault === parent.fault) continue;
      await trx.updateTable('fault').set({ merged_into: parent.fault, unseen: null }).where('id', '=', fault).execute();
      await trx.updateTable('feedback').set({ fault: parent.fault }).where('fault', '=', fault).execute();
      await sumFault(trx, fault);
    }
    await sumFault(trx, parent.fault);
  }
  return true;
}
