import 'server-only';

import { type Kysely, type Selectable, sql } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';
import { findMatches, type Matches, writeMatch } from '#src/store/search-tables.ts';

import { type FaultFilter, matchFaults, selectFaults, type SettledFilter } from './filter-faults.ts';
import { findFaultsOnRoute } from './faults-on-route.ts';
import { readHexIds, readTraceFaults } from './find-by-id.ts';
import { faultCounted } from './counted.ts';
import { type FaultSummary, type HourCounts, readHourCounts, toFaultSummary } from './read-faults.ts';

/** A line of a list, with the counts of its sparkline. */
export type ListedFault = FaultSummary & {
  readonly recent: HourCounts;
  /** Of a search: the key of the latest error that matches. */
  readonly found?: string | undefined;
};

/** The largest first: of times, the latest. */
export type FaultOrder = 'last' | 'first' | 'count' | 'users';

/** Where a page begins: after the fault of this value and id, or before it. Faults of one value are in the order of their ids. */
export type FaultPlace = { readonly side: 'after' | 'before'; readonly value: number; readonly id: string };

export type FaultListQuery = {
  readonly filter: FaultFilter;
  /** Words of an error; empty for no search. */
  readonly text: string;
  readonly order: FaultOrder;
  readonly place: FaultPlace | undefined;
  readonly limit: number;
  /** Of the sparklines. */
  readonly hours: number;
};

export type FaultList = {
  readonly faults: readonly ListedFault[];
  /** How many match, whether on this page or not. */
  readonly filtered: number;
  /** How many more match that only browsers report, and were left out because some of servers do. */
  readonly untrustedLeftOut: number;
  /** How many there are of the app, or of all apps. */
  readonly total: number;
  /** Where the pages after and before this one begin. */
  readonly next: FaultPlace | undefined;
  readonly previous: FaultPlace | undefined;
  /** The words are in so many errors that only the latest were looked at: so many. */
  readonly searchedOnly: number | undefined;
  /** The id that was searched for: these faults occurred in this trace. */
  readonly trace: string | undefined;
};

const columns = {
  last: sql<number>`fault.last_time`,
  first: sql<number>`fault.first_time`,
  count: faultCounted,
  users: sql<number>`fault.users`,
} as const satisfies Record<FaultOrder, unknown>;

type Row = Selectable<FaultTable> & { readonly place: number };

async function readPage(db: Kysely<Tables>, { order, place, limit }: FaultListQuery, filter: SettledFilter) {
  const value = columns[order];
  const isBackwards = place?.side === 'before';
  const direction = isBackwards ? 'asc' : 'desc';
  const sign = isBackwards ? sql`>` : sql`<`;
  const rows: Row[] = await matchFaults(db, filter)
    .$if(place !== undefined, (query) =>
      query.where(sql<boolean>`(${value}, fault.id) ${sign} (${place?.value ?? 0}, ${place?.id ?? ''})`),
    )
    .selectAll('fault')
    .select(value.as('place'))
    .orderBy(value, direction)
    .orderBy('fault.id', direction)
    .limit(limit + 1)
    .execute();
  const hasMore = rows.length > limit;
  const shown = rows.slice(0, limit);
  return { rows: isBackwards ? shown.toReversed() : shown, hasMore, isBackwards };
}

function toPlace(row: Row | undefined, side: FaultPlace['side']): FaultPlace | undefined {
  return row && { side, value: row.place, id: row.id };
}

async function withCounts(
  db: Kysely<Tables>,
  rows: readonly Selectable<FaultTable>[],
  hours: number,
  now: number,
): Promise<ListedFault[]> {
  const ids = rows.map(({ id }) => id);
  const counts = await readHourCounts(db, ids, hours, now);
  return rows.map((row) => ({ ...toFaultSummary(row), recent: counts.get(row.id) ?? { from: now, counts: [] } }));
}

type Found = {
  readonly filter: FaultFilter;
  readonly latest?: ReadonlyMap<string, string>;
  readonly cut?: Matches['cut'];
  readonly searched?: number;
  readonly trace?: string;
};

/** What a list is of, with all that has to be looked up before. */
async function search(db: Kysely<Tables>, query: Pick<FaultListQuery, 'text' | 'filter'>): Promise<Found> {
  const { route, app } = query.filter;
  const carriedOnRoute = route === undefined ? undefined : await findFaultsOnRoute(db, app, route);
  return searchWords(db, { ...query, filter: { ...query.filter, carriedOnRoute } });
}

async function searchWords(
  db: Kysely<Tables>,
  { text, filter }: Pick<FaultListQuery, 'text' | 'filter'>,
): Promise<Found> {
  if (text === '') return { filter };
  for (const trace of readHexIds(text)) {
    const latest = await readTraceFaults(db, trace);
    if (latest.size > 0) return { filter: { ...filter, ids: new Set(latest.keys()) }, latest, trace };
  }
  const match = writeMatch(text);
  if (match === undefined) return { filter: { ...filter, ids: new Set() } };
  const { latest, ...looked } = await findMatches(db, match, filter.app);
  return { filter: { ...filter, ids: new Set(latest.keys()) }, latest, ...looked };
}

async function count(query: ReturnType<typeof selectFaults>): Promise<number> {
  const { count: counted } = await query
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return counted;
}

type Settled = { readonly filter: SettledFilter; readonly filtered: number; readonly untrustedLeftOut: number };

/** Anybody can post untrusted errors, thousands of them: they must not hide what servers say. */
async function settle(db: Kysely<Tables>, { side, ...others }: FaultFilter): Promise<Settled> {
  if (side !== 'servers-first') {
    const filter = { ...others, side };
    return { filter, filtered: await count(matchFaults(db, filter)), untrustedLeftOut: 0 };
  }
  const [ofServers, ofBrowsers] = [{ ...others, side: 'server' } as const, { ...others, side: 'browser' } as const];
  const [servers, untrusted] = [await count(matchFaults(db, ofServers)), await count(matchFaults(db, ofBrowsers))];
  return servers > 0
    ? { filter: ofServers, filtered: servers, untrustedLeftOut: untrusted }
    : { filter: ofBrowsers, filtered: untrusted, untrustedLeftOut: 0 };
}

/** A flood of untrusted errors says nothing of what servers told. Where servers come first and none is found, both were looked at. */
function isCutOf(cut: Matches['cut'], asked: FaultFilter['side'], side: SettledFilter['side']): boolean {
  const isOfBoth = side === undefined || (asked === 'servers-first' && side === 'browser');
  return isOfBoth ? cut.size > 0 : cut.has(side);
}

export async function listFaults(query: FaultListQuery, now: number = Date.now()): Promise<FaultList> {
  requireReader();
  const { db } = await openStore();
  const { latest, cut, searched, trace, filter: asked } = await search(db, query);
  const { filter, filtered, untrustedLeftOut } = await settle(db, asked);
  const { rows, hasMore, isBackwards } = await readPage(db, query, filter);
  const faults = await withCounts(db, rows, query.hours, now);
  return {
    faults: latest ? faults.map((fault) => ({ ...fault, found: latest.get(fault.id) })) : faults,
    filtered,
    untrustedLeftOut,
    total: await count(selectFaults(db, query.filter.app)),
    next: hasMore || isBackwards ? toPlace(rows.at(-1), 'after') : undefined,
    previous: (isBackwards ? hasMore : query.place !== undefined) ? toPlace(rows[0], 'before') : undefined,
    searchedOnly: cut && isCutOf(cut, query.filter.side, filter.side) ? searched : undefined,
    trace,
  };
}

/** The ids of all that match, in the list's order: at most `limit`. */
export async function listFaultIds(query: Omit<FaultListQuery, 'place' | 'hours'>): Promise<string[]> {
  requireOperator();
  const { db } = await openStore();
  const { filter } = await settle(db, (await search(db, query)).filter);
  const rows = await matchFaults(db, filter)
    .select('fault.id')
    .orderBy(columns[query.order], 'desc')
    .orderBy('fault.id', 'desc')
    .limit(query.limit)
    .execute();
  return rows.map(({ id }) => id);
}

const homeShown = 12;
const dayHours = 24;

export type HomeFaults = {
  /** The unseen ones first, then the open ones; each part with the latest first. Twelve at most, with the last 24 hours. */
  readonly faults: readonly ListedFault[];
  /** How many there are, whether shown or not. */
  readonly open: number;
  readonly unseen: number;
  /** Of the open ones: those that only browsers report. The list of faults leaves them out where servers report some. */
  readonly untrusted: number;
  readonly total: number;
};

/** Anyone can post a browser's error. So this many lines are for faults of servers, as long as there are so many. */
const serverShown = 8;

/** Reads unseen faults before those that are open. Untrusted errors of browsers get the lines that are left. */
async function readForHome(db: Kysely<Tables>, app: string | undefined): Promise<readonly Selectable<FaultTable>[]> {
  const latest = selectFaults(db, app).selectAll().orderBy('last_time', 'desc').orderBy('id', 'desc').limit(homeShown);
  const [unseen, open] = [
    latest.where('unseen', 'is not', null),
    latest.where('unseen', 'is', null).where('state', '=', 'open'),
  ];
  async function read(side: FaultTable['side']): Promise<readonly Selectable<FaultTable>[]> {
    const first = await unseen.where('side', '=', side).execute();
    return first.length < homeShown ? [...first, ...(await open.where('side', '=', side).execute())] : first;
  }
  const servers = await read('server');
  const untrusted = await read('browser');
  const reserved = servers.slice(0, serverShown);
  const others = [...untrusted, ...servers.slice(serverShown)].toSorted(compareForHome);
  return [...reserved, ...others.slice(0, homeShown - reserved.length)].toSorted(compareForHome);
}

function compareForHome(a: Selectable<FaultTable>, b: Selectable<FaultTable>): number {
  return Number(b.unseen !== null) - Number(a.unseen !== null) || b.last_time - a.last_time;
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
        .filterWhere(eb.and({ state: 'open', side: 'browser' }))
        .as('untrusted'),
      fn
        .countAll<number>()
        .filterWhere(eb('unseen', 'is not', null))
        .as('unseen'),
    ])
    .executeTakeFirstOrThrow();
  return { faults: await withCounts(db, shown, dayHours, now), ...counts };
}
