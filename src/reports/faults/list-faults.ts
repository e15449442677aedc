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

/** Anyone can post a browser's report. So this many lines are for faults of servers, as long as there are so many. */
const serverShown = 8;

/** Those with news before those that are open. Browsers' claims only get the lines that servers' faults leave free. */
async function readForHome(db: Kysely<Tables>, app: string | undefined): Promise<readonly Selectable<FaultTable>[]> {
  const latest = selectFaults(db, app).selectAll().orderBy('last_time', 'desc').orderBy('id', 'desc').limit(homeShown);
  const [news, open] = [
    latest.where('news', 'is not', null),
    latest.where('news', 'is', null).where('state', '=', 'open'),
  ];
  async function read(side: FaultTable['side']): Promise<readonly Selectable<FaultTable>[]> {
    const first = await news.where('side', '=', side).execute();
    return first.length < homeShown ? [...first, ...(await open.where('side', '=', side).execute())] : first;
  }
  const servers = await read('server');
  const claims = await read('browser');
  const reserved = servers.slice(0, serverShown);
  const others = [...claims, ...servers.slice(serverShown)].toSorted(compareForHome);
  return [...reserved, ...others.slice(0, homeShown - reserved.length)].toSorted(compareForHome);
}

function compareForHome(a: Selectable<FaultTable>, b: Selectable<FaultTable>): number {
  return Number(b.news !== null) - Number(a.news !== null) || b.last_time - a.last_time;
}

/** @param app of which they are; undefined: of all */
export async function listFaultsForHome(app?: string, now: number = Date.now()): Promise<HomeFaults> {
  requireOperator();
  const { db } = await openStore();
  const shown = await readForHome(db, app);
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
  return { faults: await withCounts(db, shown, now), ...counts };
}
