import 'server-only';

import { sql, type Kysely } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { readPercentile } from './percentile.ts';
import { findBottom } from './queries.ts';
import { readNumbers } from './rank-routes.ts';

/** How long the answers of a route took in the last hour. */
export type RouteHour = {
  readonly app: string;
  readonly route: string;
  readonly kind: StoredFlight['kind'];
  /** That were measured: of counted hits one. */
  readonly answers: number;
  /** Milliseconds from the request to the last byte, within which 95 of 100 were. */
  readonly p95Ms: number;
};

const hourMs = 3_600_000;
/** Read in some 20 ms. Of a recording with more in an hour, the newest. */
const rowsRead = 10_000;

/** What broke off says nothing of it. For the server itself, which asks as nobody. */
export async function readRouteHourIn(db: Kysely<FlightTables>, now: number): Promise<RouteHour[]> {
  const bottom = await findBottom(db, undefined, (await readNewestId(db)) + 1, rowsRead);
  const groups = await db
    .selectFrom('flight')
    .select(['app', 'route', 'kind'])
    .select(
      dialectOf(db)
        .joinValues<string>(sql`duration_ms`)
        .as('durations'),
    )
    .where('id', '>', bottom)
    .where('started_at', '>', now - hourMs)
    .where('outcome', '!=', 'left')
    .groupBy(['app', 'route', 'kind'])
    .execute();
  return groups.map(({ app, route, kind, durations }) => {
    const sorted = readNumbers(durations).toSorted((a, b) => a - b);
    return { app, route, kind, answers: sorted.length, p95Ms: readPercentile(sorted, 0.95) };
  });
}
