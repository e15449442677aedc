import 'server-only';

import { type AliasedExpression, type Kysely, sql } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import type { Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';
import { listSlips } from './near-digest.ts';

/**
 * Stored digests that are what somebody typed but for capitals and marks, or but for one slip. What may be meant is looked for through
 * indexes, so it costs as much with a million digests as with ten: 0.2 ms for a spelling, 5 ms for all slips (bench/past-digests.ts).
 */

/** Where digests are, in the order in which an app's is believed: whole errors, what is left of deleted ones, untrusted errors. */
export const digestPlaces = ['trusted', 'past', 'untrusted'] as const;
export type DigestPlace = (typeof digestPlaces)[number];

type Known = { readonly digest: string | null; readonly app: string; readonly time: number; readonly path: string };

/** A table `known` of these. Of untrusted errors, `time` is when they came. */
export function knownDigests(db: Kysely<Tables>, place: DigestPlace): AliasedExpression<Known, 'known'> {
  const columns = ['digest', 'app', 'path'] as const;
  switch (place) {
    case 'trusted':
      return selectEvents(db, 'server')
        .select([...columns, 'time'])
        .as('known');
    case 'untrusted':
      return selectEvents(db, 'browser')
        .select([...columns, 'received_at as time'])
        .as('known');
    case 'past':
      return (
        db
          .selectFrom('past_digest')
          .innerJoin('past_origin', 'past_origin.id', 'past_digest.origin')
          .select(['past_digest.digest', 'past_origin.app', 'past_origin.route as path'])
          .select(sql<number>`past_digest.time * 1000`.as('time'))
          .where('past_origin.gone', '=', 0)
          // What is left of a fault that is being deleted leads nowhere.
          .where(
            sql<boolean>`exists (select 1 from fault_hash where fault_hash.app = past_origin.app and fault_hash.hash = past_origin.hash)`,
          )
          .as('known')
      );
  }
}

export const rowsCompared = 200;

/** Fewer characters without their marks are too easily another digest's: of those, only capitals may differ. */
export const shortestPlain = 6;

export function toPlain(code: string): string {
  return code.toUpperCase().replace(/[-@_.]/g, '');
}

/** Digests that are one of `slips`; of a number also the first with Next's suffix, which nobody reads out. */
async function listSlipped(db: Kysely<Tables>, place: DigestPlace, slips: readonly string[]): Promise<string[]> {
  const { tableOf } = dialectOf(db);
  const known = knownDigests(db, place);
  const { rows: same } = await sql<{ digest: string }>`select each.value as digest from ${tableOf(slips)}
    where exists (select 1 from ${known} where known.digest = each.value) limit ${rowsCompared}`.execute(db);
  const numbers = slips.filter((slip) => /^\d+$/.test(slip));
  if (numbers.length === 0) return same.map(({ digest }) => digest);
  const { rows: longer } = await sql<{ digest: string | null }>`select (select min(known.digest) from ${known}
      where known.digest > each.value || '@' and known.digest < each.value || 'A') as digest
    from ${tableOf(numbers)}`.execute(db);
  return [...same, ...longer].flatMap(({ digest }) => digest ?? []);
}

/** Digests that one slip makes the code of, whenever they were told. Each slip is a look or two into an index. */
export async function listNearDigests(db: Kysely<Tables>, code: string): Promise<ReadonlySet<string>> {
  const slips = listSlips(code);
  const found = new Set<string>();
  for (const place of slips.length === 0 ? [] : digestPlaces) {
    for (const digest of await listSlipped(db, place, slips)) found.add(digest);
  }
  return found;
}
