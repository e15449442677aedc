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
  /** Milliseconds since 1970, and the second that they are in. */
  readonly firstTime: number;
  readonly lastTime: number;
  /** How many errors were deleted. */
  readonly count: number;
  /** Of the latest: the route's pattern; empty where it is not known. */
  readonly route: string;
  readonly release: string;
};

type PastRow = Pick<PastDigest, 'fault' | 'count' | 'route' | 'release'> & {
  readonly time: number;
  readonly span: number;
};

/** A digest is of one fingerprint, unless its app uses the same text for several errors. */
const rowsRead = 50;

const selectPast = compileWith<{ app: string; digest: string }, PastRow>((db, value) =>
  db
    .selectFrom('past_digest')
    .innerJoin('past_origin', 'past_origin.id', 'past_digest.origin')
    .innerJoin('fault_hash', (join) =>
      join.onRef('fault_hash.app', '=', 'past_origin.app').onRef('fault_hash.hash', '=', 'past_origin.hash'),
    )
    .select(['fault_hash.fault', 'past_digest.time', 'past_digest.span', 'past_digest.count'])
    .select(['past_origin.route', 'past_origin.release'])
    .where('past_digest.digest', '=', value('digest'))
    .where('past_origin.app', '=', value('app'))
    .where('past_origin.gone', '=', 0)
    .orderBy('past_digest.time', 'desc')
    .limit(rowsRead),
);

/** For who may read already. */
export async function readPast(db: Kysely<Tables>, app: string, digest: string): Promise<readonly PastDigest[]> {
  const byFault = new Map<string, PastDigest>();
  for (const { time, span, ...row } of (await selectPast(db, { app, digest })).rows) {
    const later = byFault.get(row.fault) ?? { ...row, lastTime: time * 1_000, firstTime: Infinity, count: 0 };
    const firstTime = Math.min((time - span) * 1_000, later.firstTime);
    byFault.set(row.fault, { ...later, firstTime, count: row.count + later.count });
  }
  return [...byFault.values()];
}

/** The faults of the errors under this digest that were deleted, that of the latest first. Empty where none was. */
export async function findPast(app: string, digest: string): Promise<readonly PastDigest[]> {
  requireReader();
  const { db } = await openStore();
  return readPast(db, app, digest);
}
