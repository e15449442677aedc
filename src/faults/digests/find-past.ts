import 'server-only';

import type { Kysely } from 'kysely';

import { compileWith } from '#src/store/compile-with.ts';
import type { Tables } from '#src/store/schema.ts';
import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';

/**
 * What is left of errors under a digest whose rows were deleted: of which fault they were, when and where. The fault is that which
 * their fingerprint belongs to now, after whatever was merged or split.
 */
export type PastDigest = {
  readonly fault: string;
  /** Milliseconds since 1970. */
  readonly firstTime: number;
  readonly lastTime: number;
  /** How many errors were deleted. */
  readonly count: number;
  /** Of the latest: the route's pattern, else its path. */
  readonly route: string;
};

/** A digest is of one fingerprint, unless its app uses the same text for several errors. */
const rowsRead = 50;

const selectPast = compileWith<{ app: string; digest: string }, PastDigest>((db, value) =>
  db
    .selectFrom('past_digest')
    .innerJoin('fault_hash', (join) =>
      join.onRef('fault_hash.app', '=', 'past_digest.app').onRef('fault_hash.hash', '=', 'past_digest.hash'),
    )
    .select(['fault_hash.fault', 'past_digest.first_time as firstTime', 'past_digest.last_time as lastTime'])
    .select(['past_digest.count', 'past_digest.route'])
    .where('past_digest.digest', '=', value('digest'))
    .where('past_digest.app', '=', value('app'))
    .orderBy('past_digest.last_time', 'desc')
    .limit(rowsRead),
);

/** For who may read already. */
export async function readPast(db: Kysely<Tables>, app: string, digest: string): Promise<readonly PastDigest[]> {
  const byFault = new Map<string, PastDigest>();
  for (const row of (await selectPast(db, { app, digest })).rows) {
    const later = byFault.get(row.fault);
    const firstTime = Math.min(row.firstTime, later?.firstTime ?? row.firstTime);
    const count = row.count + (later?.count ?? 0);
    byFault.set(row.fault, { ...(later ?? row), firstTime, count });
  }
  return [...byFault.values()];
}

/** The faults of the errors under this digest that were deleted, that of the latest first. Empty where none was. */
export async function findPast(app: string, digest: string): Promise<readonly PastDigest[]> {
  requireReader();
  const { db } = await openStore();
  return readPast(db, app, digest);
}
