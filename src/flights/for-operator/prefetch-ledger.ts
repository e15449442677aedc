import 'server-only';

import type { Kysely } from 'kysely';

import { prefetchTriggers, type PrefetchTrigger } from '#src/server/http/flight-headers.ts';
import { findPrefetchOutcome, type PrefetchOutcome } from '../flight/prefetch-outcome.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { flightSize } from './flight-size.ts';
import type { FlightFilter } from './match-flights.ts';
import { readForOperator } from './read-for-operator.ts';
import { flightsSummed, selectNewest } from './summaries.ts';

/** What prefetches came to: requests, of which one link may need two. Counted hits are as many. */
export type PrefetchSums = Readonly<Record<PrefetchOutcome, number>> & {
  readonly sent: number;
  /** Of Flight, before compression. */
  readonly bytes: number;
  /** Of the unused and the expired ones. */
  readonly wastedBytes: number;
  /** Of those of which nothing is known: so much more may be wasted. */
  readonly unknownBytes: number;
};

/** What a prefetch is of: the route and the path that were prefetched, the page that did it, and what triggered it. */
type PrefetchTraits = {
  /** The pattern where something says it, else the path: one for all products. */
  readonly route: string;
  readonly link: string;
  /** Undefined where nothing says it. */
  readonly page: string | undefined;
  readonly trigger: PrefetchTrigger | undefined;
};

/** For which link it was: its text and where in the page it stood. Undefined where no browser told it. */
type PrefetchedLink = { readonly text: string; readonly place: string };

export type LedgerGrouping = keyof PrefetchTraits;

export type LedgerPart = PrefetchSums & PrefetchTraits & { readonly told: PrefetchedLink | undefined };

/** The prefetches that have one trait in common, and how they differ in the others. */
export type LedgerGroup = PrefetchSums & {
  readonly name: string | undefined;
  readonly parts: readonly LedgerPart[];
};

const nothing: PrefetchSums = {
  sent: 0,
  used: 0,
  unused: 0,
  expired: 0,
  waiting: 0,
  unknown: 0,
  bytes: 0,
  wastedBytes: 0,
  unknownBytes: 0,
};

function add(a: PrefetchSums, b: PrefetchSums): PrefetchSums {
  return {
    sent: a.sent + b.sent,
    used: a.used + b.used,
    unused: a.unused + b.unused,
    expired: a.expired + b.expired,
    waiting: a.waiting + b.waiting,
    unknown: a.unknown + b.unknown,
    bytes: a.bytes + b.bytes,
    wastedBytes: a.wastedBytes + b.wastedBytes,
    unknownBytes: a.unknownBytes + b.unknownBytes,
  };
}

export function addPrefetches(all: readonly PrefetchSums[]): PrefetchSums {
  return all.reduce(add, nothing);
}

/** Whether requests were wasted for certain, or nothing says it of some, or none was. */
export type WasteCertainty = 'certain' | 'unknown' | 'none';

const certainties: readonly WasteCertainty[] = ['certain', 'unknown', 'none'];

export function judgeWaste({ unused, expired, unknown }: PrefetchSums): WasteCertainty {
  if (unused + expired > 0) return 'certain';
  return unknown > 0 ? 'unknown' : 'none';
}

/**
 * What was wasted for certain is first. Where nothing says it, a link of which a request was used wastes less than one of which
 * none was, however many bytes they have.
 */
function compare(a: PrefetchSums, b: PrefetchSums): number {
  return (
    certainties.indexOf(judgeWaste(a)) - certainties.indexOf(judgeWaste(b)) ||
    b.wastedBytes - a.wastedBytes ||
    Number(a.used > 0) - Number(b.used > 0) ||
    b.unknownBytes - a.unknownBytes ||
    b.sent - a.sent
  );
}

/** How many links the requests of these groups were for. */
export function countLinks(groups: readonly Pick<LedgerGroup, 'parts'>[]): number {
  return new Set(groups.flatMap(({ parts }) => parts.map(({ link }) => link))).size;
}

type Row = Awaited<ReturnType<typeof readPrefetches>>[number];

/** What one row adds: a prefetch, or counted hits, of which a browser's note about one cannot be stored. */
function sumRow(row: Row, now: number): LedgerPart {
  const outcome = findPrefetchOutcome(row, now);
  const isWasted = outcome === 'unused' || outcome === 'expired';
  const bytes = (row.flight_size ?? 0) * row.hits;
  return {
    ...nothing,
    route: row.route,
    link: row.path,
    page: row.from_path ?? undefined,
    trigger: prefetchTriggers.find((word) => word === row.prefetch_trigger),
    told: row.link_text === null ? undefined : { text: row.link_text, place: row.link_place ?? '' },
    sent: row.hits,
    [outcome]: row.hits,
    bytes,
    wastedBytes: isWasted ? bytes : 0,
    unknownBytes: outcome === 'unknown' ? bytes : 0,
  };
}

async function readPrefetches(db: Kysely<FlightTables>, { visit, filter = {} }: Asked) {
  const { query } =
    visit === undefined
      ? await selectNewest(db, filter)
      : { query: db.selectFrom('flight').where('visit', '=', visit).orderBy('id', 'desc').limit(flightsSummed) };
  return query
    .select(['route', 'path', 'from_path', 'prefetch_trigger', 'link_text', 'link_place', flightSize.as('flight_size')])
    .select(['source', 'rendering', 'started_at', 'first_byte_ms', 'duration_ms', 'used_at', 'closed_at'])
    .select(['hits', 'last_at'])
    .where('kind', '=', 'prefetch')
    .execute();
}

/** Each combination of traits once. */
function sumParts(rows: readonly Row[]): LedgerPart[] {
  const now = Date.now();
  const parts = new Map<string, LedgerPart>();
  for (const row of rows) {
    const part = sumRow(row, now);
    const key = JSON.stringify([part.route, part.link, part.page ?? null, part.trigger ?? null, part.told ?? null]);
    const known = parts.get(key);
    parts.set(key, known ? { ...part, ...add(known, part) } : part);
  }
  return [...parts.values()];
}

type Asked = {
  /** Of one visit, or of the newest prefetches that match. */
  readonly visit?: string;
  readonly filter?: FlightFilter;
};

/** What became of prefetches, by one of their traits: in the order of `compare`. */
export async function readPrefetchLedger(
  asked: Asked = {},
  by: LedgerGrouping = 'route',
): Promise<readonly LedgerGroup[]> {
  return readForOperator([], async (db) => {
    const groups = Map.groupBy(sumParts(await readPrefetches(db, asked)), (part) => part[by]);
    return [...groups]
      .map(([name, parts]) => ({ ...addPrefetches(parts), name, parts: parts.toSorted(compare) }))
      .toSorted(compare);
  });
}
