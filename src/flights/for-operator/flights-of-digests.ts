import 'server-only';

import { sql } from 'kysely';

import type { FlightSummary } from '../flight/flight-record.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import { type FlightFilter, matchFlights } from './match-flights.ts';
import { countChunks } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/** More than a page lists: some may be of another error with the same digest. */
const flightsListed = 100;

/** The newest flights of an app that carried one of these digests. */
export async function listFlightsOfDigests(app: string, digests: readonly string[]): Promise<readonly FlightSummary[]> {
  return readForOperator([], async (db) => {
    if (digests.length === 0) return [];
    const rows = await db
      .selectFrom('flight')
      .select([...listedColumns, countChunks(db)])
      .where('id', 'in', db.selectFrom('flight_digest').select('flight_id').where('digest', 'in', digests))
      // A function of the column: the digests find the few rows.
      .where(sql<boolean>`coalesce(app, '') = ${app}`)
      // Not the column itself: for the newest ten PostgreSQL would go through all flights, back from the newest, until it has ten.
      .orderBy(sql`id + 0`, 'desc')
      .limit(flightsListed)
      .execute();
    const now = Date.now();
    return rows.map((row) => toSummary(row, now));
  });
}

export type CarriedDigest = { readonly app: string; readonly digest: string };

/** More tell nothing new: a digest is one for all flights with the same error. */
const flightsRead = 2_000;
/** Each is a look at its flight: some 50 ms. */
const digestsRead = 50_000;

/** The digests that the newest flights carried of those that match, among the newest that were carried at all. */
export async function listDigestsOfFlights(filter: FlightFilter): Promise<readonly CarriedDigest[]> {
  return readForOperator([], (db) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('flight')
          .innerJoin(
            eb
              .selectFrom('flight_digest')
              .select(['flight_id', 'digest'])
              .orderBy('flight_id', 'desc')
              .limit(digestsRead)
              .as('newest'),
            (join) => join.onRef('newest.flight_id', '=', 'flight.id'),
          )
          .select([sql<string>`coalesce(app, '')`.as('app'), 'newest.digest'])
          .where(matchFlights(filter))
          .orderBy('newest.flight_id', 'desc')
          .limit(flightsRead)
          .as('carried'),
      )
      .select(['app', 'digest'])
      .distinct()
      .execute(),
  );
}

export type CarrierPlace = Pick<FlightSummary, 'path' | 'route' | 'startedAt' | 'durationMs'>;

/** Where the newest flights were that carried this digest. */
export async function listCarriers(app: string, digest: string): Promise<readonly CarrierPlace[]> {
  return readForOperator([], (db) =>
    db
      .selectFrom('flight')
      .select(['path', 'route', 'started_at as startedAt', 'duration_ms as durationMs'])
      .where('id', 'in', db.selectFrom('flight_digest').select('flight_id').where('digest', '=', digest))
      .where(sql<boolean>`coalesce(app, '') = ${app}`)
      .orderBy(sql`id + 0`, 'desc')
      .limit(flightsRead)
      .execute(),
  );
}
