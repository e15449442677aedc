import 'server-only';

import { sql } from 'kysely';

import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultHashTable } from '#src/store/schema.ts';

import { parseJson } from '../receive/untrusted-json.ts';
import { hourCounted } from './counted.ts';
import { readTextList } from './activity-detail.ts';

/** One of the fingerprints whose errors are this fault's, with what they have in common. */
export type FaultHash = {
  readonly hash: string;
  readonly rule: FaultHashTable['rule'];
  readonly parts: readonly string[];
  /** What counts of the fault (counted.ts), whether kept or not. */
  readonly count: number;
  readonly lastTime: number;
};

/** More are merged faults of one wrong fingerprint; the page of one fault need not list them. */
const hashesListed = 50;

/** The most frequent first. */
export async function readFaultHashes(
  fault: string,
): Promise<{ readonly hashes: readonly FaultHash[]; readonly total: number }> {
  requireReader();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('fault_hash')
    .leftJoin('fault_hour', (join) =>
      join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
    )
    .leftJoin('fault', 'fault.id', 'fault_hash.fault')
    .select(['fault_hash.hash', 'fault_hash.rule', 'fault_hash.parts_json', 'fault_hash.last_time'])
    .select(sql<number>`coalesce(sum(${hourCounted}), 0)`.as('count'))
    .where('fault_hash.fault', '=', fault)
    .groupBy(['fault_hash.app', 'fault_hash.hash'])
    .orderBy('count', 'desc')
    .orderBy('fault_hash.hash')
    .execute();
  return {
    hashes: rows.slice(0, hashesListed).map(({ hash, rule, parts_json, count, last_time: lastTime }) => ({
      hash,
      rule,
      parts: readTextList(parseJson(parts_json)),
      count,
      lastTime,
    })),
    total: rows.length,
  };
}
