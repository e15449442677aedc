import 'server-only';

import { type Kysely, sql } from 'kysely';

import { dialectOf, valuesTogether } from '#src/store/dialect.ts';
import type { EventRow, Tables } from '#src/store/schema.ts';

import { isUnder } from './select-events.ts';

export type Newest = Pick<EventRow, 'fault' | 'time' | 'release'> & { readonly digest: string };

/** In all. */
const rowsRead = 2_000;
/** One digest is mostly of one fault; two builds that share one make two. */
const leastOfEach = 5;

/**
 * An app's newest server errors under each of these digests, the newest first. Each digest has a limit of its own: one of them may have a
 * hundred thousand rows.
 */
export async function listNewestUnder(
  db: Kysely<Tables>,
  app: string,
  digests: readonly string[],
): Promise<readonly Newest[]> {
  if (digests.length === 0) return [];
  const looked = digests.slice(0, valuesTogether);
  const each = Math.max(leastOfEach, Math.floor(rowsRead / looked.length));
  const newest = dialectOf(db).ofEach(
    looked,
    (digest) => sql`select digest, fault, time, release from event
      where side = 'server' and ${isUnder(digest, app)} order by time desc limit ${each}`,
  );
  const { rows } = await sql<Newest>`${newest}`.execute(db);
  return rows.toSorted((a, b) => b.time - a.time);
}
