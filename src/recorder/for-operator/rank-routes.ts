import 'server-only';

import type { StoredFlight } from '../flight-columns.ts';
import { readNewestId } from '../flights-reader.ts';
import { flightSize } from './flight-size.ts';
import { matchFlights, type FlightFilter } from './match-flights.ts';
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
  /** How many flights were compared. */
  readonly flights: number;
  readonly hours: number;
};

/** Read and ranked in some 10 ms. */
const rowsRanked = 5_000;
const shown = 5;
const hourMs = 3_600_000;
/** With fewer flights than this, a day says nothing about a route; then the last week is looked at. */
const fewFlights = 50;
const [day, week] = [24, 7 * 24];

type Row = {
  readonly app: string;
  readonly route: string;
  readonly kind: StoredFlight['kind'];
  readonly duration_ms: number;
  readonly flight_size: number | null;
};

/** The nearest rank: always one that was measured. */
function readHigh(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

function rank(groups: readonly (readonly Row[])[], read: (row: Row) => number): RankedRoute[] {
  const ranked = groups.flatMap((group): RankedRoute[] => {
    const [first] = group;
    if (!first) return [];
    const { app, route, kind } = first;
    return [{ app, route, kind, flights: group.length, value: readHigh(group.map(read)) }];
  });
  return ranked
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
    .slice(0, shown);
}

/** @param filter of which app */
export async function rankRoutes(
  filter: Pick<FlightFilter, 'app' | 'isOfOthers'>,
  now: number = Date.now(),
): Promise<RankedRoutes> {
  return readForOperator({ slow: [], heavy: [], flights: 0, hours: day }, async (db) => {
    const bottom = await findBottom(db, filter.app, (await readNewestId(db)) + 1, rowsRanked);
    const rows = await db
      .selectFrom('flight')
      .select(['app', 'route', 'kind', 'duration_ms', 'started_at', flightSize.as('flight_size')])
      .where('id', '>', bottom)
      .where('started_at', '>=', now - week * hourMs)
      // What broke off says nothing of its route's size and time.
      .where('outcome', '!=', 'left')
      .where(matchFlights(filter))
      .execute();
    const ofDay = rows.filter((row) => row.started_at >= now - day * hourMs);
    const hours = ofDay.length < fewFlights ? week : day;
    const compared = hours === day ? ofDay : rows;
    const groups = [...Map.groupBy(compared, ({ app, kind, route }) => `${app} ${kind} ${route}`).values()];
    return {
      slow: rank(groups, (row) => row.duration_ms),
      heavy: rank(groups, (row) => row.flight_size ?? 0),
      flights: compared.length,
      hours,
    };
  });
}
