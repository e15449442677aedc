import 'server-only';

import type { Kysely } from 'kysely';

import type { StoredFlight } from '../flight-columns.ts';
import { ofApp } from '../of-app.ts';
import { findPrefetchOutcome } from '../prefetch-outcome.ts';
import type { FlightTables } from '../stored-tables.ts';
import { readForOperator } from './read-for-operator.ts';
import { readNewestId } from '../flights-reader.ts';
import { flightSize } from './flight-size.ts';
import { findBottom } from './queries.ts';

/** Sums over the newest part of the recording. */

/** Read and summed in some 20 ms. */
const flightsSummed = 10_000;
/** At most so many flights are searched for prefetches, and for those of one app. */
const flightsSearched = 50_000;

export type RouteTotals = {
  readonly route: string;
  readonly kind: StoredFlight['kind'];
  /** Counted hits are as many. */
  readonly flights: number;
  readonly failures: number;
  /** Of Flight, so that a page and its payloads can be compared. A document of an earlier version, whose Flight is not known, adds none. */
  readonly bytes: number;
  /** Undefined where it is not known of all of them. */
  readonly transferredBytes: number | undefined;
  /** Milliseconds from the request to the last byte, of the rows: of counted hits only the first was measured. */
  readonly p50Ms: number;
  readonly p95Ms: number;
};

/** The nearest rank: always a time that was measured. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Of one app, or of all: what is not older than the newest so many rows. */
async function selectNewest(db: Kysely<FlightTables>, app: string | undefined) {
  const query = db.selectFrom('flight').orderBy('id', 'desc').limit(flightsSummed);
  const bottom = await findBottom(db, app, (await readNewestId(db)) + 1, flightsSearched);
  const newest = query.where('id', '>', bottom);
  return { query: app === undefined ? newest : newest.where(ofApp(app)) };
}

type Transferred = Pick<StoredFlight, 'sent_bytes' | 'hits'>;

function sumTransferred(rows: readonly Transferred[]): number | undefined {
  let sum = 0;
  for (const { sent_bytes: bytes, hits } of rows) {
    if (bytes === null) return undefined;
    sum += bytes * hits;
  }
  return sum;
}

/** By route and kind, the most Flight first, over the newest 10,000 rows of one app, or of all. */
export async function sumRoutes(app?: string): Promise<readonly RouteTotals[]> {
  return readForOperator([], async (db) => {
    const { query } = await selectNewest(db, app);
    const rows = await query
      .select(['route', 'kind', 'sent_bytes', 'duration_ms', 'digests', 'status', 'outcome', 'hits'])
      .select(flightSize.as('flight_size'))
      .execute();
    const groups = Map.groupBy(rows, ({ route, kind }) => `${kind} ${route}`);
    const totals = [...groups.values()].flatMap((group): RouteTotals[] => {
      const [first] = group;
      if (!first) return [];
      const times = group.map((row) => row.duration_ms).sort((a, b) => a - b);
      return [
        {
          route: first.route,
          kind: first.kind,
          flights: group.reduce((sum, row) => sum + row.hits, 0),
          failures: group.filter((row) => row.digests !== '' || row.status >= 500 || row.outcome === 'failed').length,
          bytes: group.reduce((sum, row) => sum + (row.flight_size ?? 0) * row.hits, 0),
          transferredBytes: sumTransferred(group),
          p50Ms: percentile(times, 0.5),
          p95Ms: percentile(times, 0.95),
        },
      ];
    });
    return totals.sort((a, b) => b.bytes - a.bytes);
  });
}

/** What one link's prefetches came to. */
export type LinkPrefetches = {
  readonly path: string;
  readonly sent: number;
  readonly used: number;
  readonly unused: number;
  readonly expired: number;
  readonly waiting: number;
  /** Counted together with other hits, or of another app whose browsers tell nothing. */
  readonly unknown: number;
  /** Of Flight, as what follows: a payload from a file and a rendered one can be compared. */
  readonly bytes: number;
  /** Of the unused and the expired ones. */
  readonly wastedBytes: number;
  /** Of those of which nothing is known: so much more may be wasted. */
  readonly unknownBytes: number;
};

/** By path, the most wasted bytes first: of one visit, or of the newest 10,000 prefetches of one app or of all. */
export async function readPrefetchLedger({
  visit,
  app,
}: { readonly visit?: string; readonly app?: string } = {}): Promise<readonly LinkPrefetches[]> {
  return readForOperator([], async (db) => {
    const { query } =
      visit === undefined
        ? await selectNewest(db, app)
        : { query: db.selectFrom('flight').where('visit', '=', visit).orderBy('id', 'desc').limit(flightsSummed) };
    const rows = await query
      .select(['path', 'source', 'rendering', 'started_at', 'first_byte_ms', 'duration_ms', 'used_at', 'closed_at'])
      .select(['hits', 'last_at', flightSize.as('flight_size')])
      .where('kind', '=', 'prefetch')
      .execute();
    const now = Date.now();
    const links = new Map<string, LinkPrefetches>();
    for (const row of rows) {
      const outcome = findPrefetchOutcome(row, now);
      const bytes = row.flight_size ?? 0;
      const isWasted = outcome === 'unused' || outcome === 'expired';
      const link = links.get(row.path) ?? {
        path: row.path,
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
      links.set(row.path, {
        ...link,
        sent: link.sent + row.hits,
        [outcome]: link[outcome] + row.hits,
        bytes: link.bytes + bytes * row.hits,
        wastedBytes: link.wastedBytes + (isWasted ? bytes : 0),
        unknownBytes: link.unknownBytes + (outcome === 'unknown' ? bytes * row.hits : 0),
      });
    }
    return [...links.values()].sort(
      (a, b) => b.wastedBytes - a.wastedBytes || b.unknownBytes - a.unknownBytes || b.sent - a.sent,
    );
  });
}
