import 'server-only';

import { sql, type Kysely } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { flightSize } from './flight-size.ts';
import { ofApp } from '../recorder/of-app.ts';
import { matchFlights, type FlightFilter } from './match-flights.ts';
import { readPercentile } from './percentile.ts';
import { findBottom } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/**
 * Which routes are slow, and which send much Flight, for the front page: of the newest flights, not of all. No column of these
 * has an index, so the newest rows are read, and no more than these.
 */
export type RankedRoute = {
  readonly app: string;
  readonly route: string;
  readonly kind: StoredFlight['kind'];
  /** Rows; counted hits are one. */
  readonly flights: number;
  /** Milliseconds to the last byte, within which 95 of 100 were; bytes of Flight, the same. */
  readonly value: number;
};

export type RankedRoutes = {
  /** Each the largest first, five at most. */
  readonly slow: readonly RankedRoute[];
  readonly heavy: readonly RankedRoute[];
  /** How many flights were compared: those that no browser left. */
  readonly flights: number;
  /** The newest of those hours alone: there are more. */
  readonly isCut: boolean;
  readonly hours: number;
};

/** Read and ranked in some 10 ms. */
const rowsRanked = 5_000;
const shown = 5;
const hourMs = 3_600_000;
/** With fewer flights than this, a day says nothing about a route; then the last week is looked at. */
const fewFlights = 50;
const [day, week] = [24, 7 * 24];

/**
 * One route's flights of the last day, or of the days before it. The values are joined by the database: a row for each would cost ten times
 * as much.
 */
type Group = {
  readonly app: string;
  readonly route: string;
  readonly kind: StoredFlight['kind'];
  readonly is_of_day: number;
  readonly durations: string;
  /** Those that are known. */
  readonly sizes: string | null;
};

type Values = Pick<RankedRoute, 'app' | 'route' | 'kind'> & {
  readonly durations: readonly number[];
  readonly sizes: readonly number[];
};

export function readNumbers(joined: string | null): number[] {
  return joined === null ? [] : joined.split(',').map(Number);
}

function joinGroups(groups: readonly Group[]): Values[] {
  return [...Map.groupBy(groups, ({ app, kind, route }) => `${app} ${kind} ${route}`).values()].flatMap((parts) => {
    const [first] = parts;
    if (!first) return [];
    const { app, route, kind } = first;
    const durations = parts.flatMap((part) => readNumbers(part.durations));
    return [{ app, route, kind, durations, sizes: parts.flatMap((part) => readNumbers(part.sizes)) }];
  });
}

function readHigh(values: readonly number[]): number {
  return readPercentile(
    values.toSorted((a, b) => a - b),
    0.95,
  );
}

function rank(routes: readonly Values[], by: 'durations' | 'sizes'): RankedRoute[] {
  return routes
    .map(({ app, route, kind, ...values }) => {
      return { app, route, kind, flights: values.durations.length, value: readHigh(values[by]) };
    })
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
    .slice(0, shown);
}

function countFlights(routes: readonly Values[]): number {
  return routes.reduce((sum, { durations }) => sum + durations.length, 0);
}

async function readGroups(
  db: Kysely<FlightTables>,
  filter: FlightFilter,
  bottom: number,
  now: number,
): Promise<readonly Group[]> {
  const join = dialectOf(db).joinValues;
  return (
    db
      .selectFrom('flight')
      .select(['app', 'route', 'kind'])
      .select([
        sql<number>`case when started_at >= ${now - day * hourMs} then 1 else 0 end`.as('is_of_day'),
        join<string>(sql`duration_ms`).as('durations'),
        join<string | null>(flightSize).as('sizes'),
      ])
      .where('id', '>', bottom)
      .where('started_at', '>=', now - week * hourMs)
      // What its browser left says nothing of its route's size and time.
      .where('outcome', '!=', 'left')
      .where(matchFlights(filter))
      .groupBy(['app', 'route', 'kind', 'is_of_day'])
      .execute()
  );
}

/** Whether flights of this app at or before an id began since a time: the ranked ones are then not all. */
async function hasEarlier(db: Kysely<FlightTables>, filter: FlightFilter, bottom: number, since: number) {
  const earlier = await db
    .selectFrom('flight')
    .select('started_at as startedAt')
    .where('id', '<=', bottom)
    .$if(filter.app !== undefined, (query) => query.where(ofApp(filter.app ?? '')))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return earlier !== undefined && earlier.startedAt >= since;
}

/** @param filter of which app */
export async function rankRoutes(
  filter: Pick<FlightFilter, 'app' | 'isOfOthers'>,
  now: number = Date.now(),
): Promise<RankedRoutes> {
  return readForOperator({ slow: [], heavy: [], flights: 0, isCut: false, hours: day }, async (db) => {
    const bottom = await findBottom(db, filter.app, (await readNewestId(db)) + 1, rowsRanked);
    const groups = await readGroups(db, filter, bottom, now);
    const ofDay = joinGroups(groups.filter((group) => group.is_of_day === 1));
    const isDay = countFlights(ofDay) >= fewFlights;
    const routes = isDay ? ofDay : joinGroups(groups);
    return {
      slow: rank(routes, 'durations'),
      heavy: rank(routes, 'sizes'),
      flights: countFlights(routes),
      isCut: await hasEarlier(db, filter, bottom, now - (isDay ? day : week) * hourMs),
      hours: isDay ? day : week,
    };
  });
}
