import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import type { DigestHolder } from './digest-holder.ts';
import { findPast } from './find-past.ts';
import { isUnder, selectEvents, timeColumns } from '../kept/select-events.ts';

/** The latest error that an app has under a digest, for a choice between apps. */
export type NamedHolder = DigestHolder & {
  /** Undefined where it was deleted a moment ago. */
  readonly latest: { readonly name: string; readonly message: string; readonly path: string } | undefined;
};

async function readLatest(
  db: Kysely<Tables>,
  { app, digest, isTrusted, isPast }: DigestHolder,
): Promise<NamedHolder['latest']> {
  if (isPast) {
    const [past] = await findPast(app, digest);
    if (!past) return undefined;
    const fault = await db
      .selectFrom('fault')
      .select(['name', 'message'])
      .where('id', '=', past.fault)
      .executeTakeFirst();
    return fault && { ...fault, path: past.route };
  }
  const side = isTrusted ? 'server' : 'browser';
  return selectEvents(db, side)
    .select(['name', 'message', 'path'])
    .where(isUnder(digest, app))
    .orderBy(timeColumns[side], 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function nameHolders(holders: readonly DigestHolder[]): Promise<readonly NamedHolder[]> {
  requireOperator();
  const { db } = await openStore();
  return Promise.all(holders.map(async (holder) => ({ ...holder, latest: await readLatest(db, holder) })));
}
