import 'server-only';

import type { Kysely } from 'kysely';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { isFailed } from '../flight/is-failed.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { parseVitals } from '../vitals/vitals.ts';
import { readForOperator } from './read-for-operator.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import { flightSize, responseSize } from './flight-size.ts';
import { matchFlights, type FlightFilter } from './match-flights.ts';
import { readPercentile } from './percentile.ts';
import { findBottom } from './queries.ts';
import { sumVitals, type VitalFigures } from './sum-vitals.ts';

/** Sums over the newest part of the recording. */

/** Read and summed in some 20 ms, and 9 µs more for each document that told its Web Vitals. */
export const flightsSummed = 10_000;
/** At most so many flights are searched for prefetches, and for those of one app. */
const flightsSearched = 50_000;

export type RouteTotals = {
  readonly route: string;
  readonly kind: StoredFlight['kind'];
  /** Counted hits are as many. */
  readonly flights: number;
  /** Of these, how many brought Flight: the browser has a copy of a page that was answered with 304. */
  readonly withFlight: number;
  readonly failures: number;
  /** Of Flight, so that a page and its payloads can be compared. A document of an earlier version, whose Flight is not known, adds none. */
  readonly bytes: number;
  /** Undefined where it is not known of all of them. */
  readonly responseBytes: number | undefined;
  /** The same. */
  readonly transferredBytes: number | undefined;
  /**
   * Milliseconds from the request to the last byte, of the rows: of counted hits only the first was measured. Of those that no browser
   * left; null where it left all.
   */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  /** Of documents, where browsers told them. */
  readonly vitals: VitalFigures | undefined;
};

/** What matches: not older than the newest so many rows, where no digest says which they are. */
export async function selectNewest(db: Kysely<FlightTables>, filter: FlightFilter) {
  const bottom =
    filter.digest === undefined ? await findBottom(db, filter.app, (await readNewestId(db)) + 1, flightsSearched) : 0;
  const newest = db.selectFrom('flight').where('id', '>', bottom).where(matchFlights(filter));
  return { query: newest.orderBy('id', 'desc').limit(flightsSummed) };
}

/** Rows that are read for the names of routes: some 5 ms. */
const rowsOfRoutes = 2_000;
const longestList = 100;

/** Routes of the newest flights, to choose from, in the order of the alphabet. */
export async function listRoutes(filter: Pick<FlightFilter, 'app' | 'isOfOthers'>): Promise<readonly string[]> {
  return readForOperator([], async (db) => {
    const bottom = await findBottom(db, filter.app, (await readNewestId(db)) + 1, rowsOfRoutes);
    const rows = await db
      .selectFrom('flight')
      .select('route')
      .distinct()
      .where('id', '>', bottom)
      .where(matchFlights(filter))
      .orderBy('route')
      .limit(longestList)
      .execute();
    return rows.map(({ route }) => route);
  });
}

type Weighed = { readonly bytes: number | null; readonly hits: number };

/** Returns undefined where it is not known of all of them. */
function sumKnown(rows: readonly Weighed[]): number | undefined {
  let sum = 0;
  for (const { bytes, hits } of rows) {
    if (bytes === null) return undefined;
    sum += bytes * hits;
  }
  return sum;
}

/** Sums by route and kind, the most Flight first, over the newest 10,000 rows that match. */
export async function sumRoutes(filter: FlightFilter = {}): Promise<readonly RouteTotals[]> {
  return readForOperator([], async (db) => {
    const { query } = await selectNewest(db, filter);
    const rows = await query
      .select(['route', 'kind', 'sent_bytes', 'duration_ms', 'digests', 'status', 'outcome', 'hits', 'vitals_json'])
      .select([flightSize.as('flight_size'), responseSize.as('response_size')])
      .execute();
    const groups = Map.groupBy(rows, ({ route, kind }) => `${kind} ${route}`);
    const totals = [...groups.values()].flatMap((group): RouteTotals[] => {
      const [first] = group;
      if (!first) return [];
      // One that its browser left says nothing of its route's time.
      const whole = group.filter((row) => row.outcome !== 'left');
      const times = whole.map((row) => row.duration_ms).sort((a, b) => a - b);
      const within = (share: number) => (times.length === 0 ? null : readPercentile(times, share));
      return [
        {
          route: first.route,
          kind: first.kind,
          flights: group.reduce((sum, row) => sum + row.hits, 0),
          withFlight: group.reduce((sum, row) => sum + ((row.flight_size ?? 0) > 0 ? row.hits : 0), 0),
          failures: group.filter(isFailed).reduce((sum, row) => sum + row.hits, 0),
          bytes: group.reduce((sum, row) => sum + (row.flight_size ?? 0) * row.hits, 0),
          responseBytes: sumKnown(group.map((row) => ({ bytes: row.response_size, hits: row.hits }))),
          transferredBytes: sumKnown(group.map((row) => ({ bytes: row.sent_bytes, hits: row.hits }))),
          p50Ms: within(0.5),
          p95Ms: within(0.95),
          p99Ms: within(0.99),
          vitals: sumVitals(group.flatMap((row) => parseVitals(row.vitals_json) ?? [])),
        },
      ];
    });
    return totals.sort((a, b) => b.bytes - a.bytes);
  });
}
