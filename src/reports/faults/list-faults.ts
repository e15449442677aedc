import 'server-only';

import type { Kysely, Selectable } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';

import { type FaultSummary, type HourCounts, readHourCounts, toFaultSummary } from './read-faults.ts';

/** A line of a list, with the counts of its sparkline. */
export type ListedFault = FaultSummary & { readonly recent: HourCounts };

const dayHours = 24;

async function withCounts(
  db: Kysely<Tables>,
  rows: readonly Selectable<FaultTable>[],
  now: number,
): Promise<ListedFault[]> {
  const ids = rows.map(({ id }) => id);
  const counts = await readHourCounts(db, ids, dayHours, now);
  return rows.map((row) => ({ ...toFaultSummary(row), recent: counts.get(row.id) ?? { from: now, counts: [] } }));
}

/** Faults are kept when they are merged, for their addresses. No list has them. */
function selectFaults(db: Kysely<Tables>, app: string | undefined) {
  return db
    .selectFrom('fault')
    .where('merged_into', 'is', null)
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''));
}

const homeShown = 12;

export type HomeFaults = {
  /** Those with news first, then the open ones; each part with the latest first. Twelve at most, with the last 24 hours. */
  readonly faults: readonly ListedFault[];
  /** How many there are, whether shown or not. */
  readonly open: number;
  readonly news: number;
  readonly total: number;
};

/** @param app of which they are; undefined: of all */
export async function listFaultsForHome(app?: string, now: number = Date.now()): Promise<HomeFaults> {
  requireOperator();
  const { db } = await openStore();
  const latest = selectFaults(db, app).selectAll().orderBy('last_time', 'desc').orderBy('id', 'desc').limit(homeShown);
  const news = await latest.where('news', 'is not', null).execute();
  const open =
    news.length < homeShown ? await latest.where('news', 'is', null).where('state', '=', 'open').execute() : [];
  const counts = await selectFaults(db, app)
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('total'),
      fn.countAll<number>().filterWhere('state', '=', 'open').as('open'),
      fn
        .countAll<number>()
        .filterWhere(eb('news', 'is not', null))
        .as('news'),
    ])
    .executeTakeFirstOrThrow();
  return { faults: await withCounts(db, [...news, ...open].slice(0, homeShown), now), ...counts };
}
