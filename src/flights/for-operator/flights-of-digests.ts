import 'server-only';

import { type Kysely, sql } from 'kysely';

import { dialectOf, valuesTogether } from '#src/store/dialect.ts';

import type { FlightSummary } from '../flight/flight-record.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { type FlightFilter, matchFlights } from './match-flights.ts';
import { countChunks } from './count-chunks.ts';
import { readForOperator } from './read-for-operator.ts';

/** More than a page lists: some may be of another error with the same digest. */
const flightsListed = 100;

/** Visitors make as many flights with one digest as they like: so many of the newest are looked at. */
const idsRead = 5_000;
const leastOfEach = 50;
const idsAtOnce = 500;

/** Of an app's flights that carried one of these digests, those that began last first. Each digest is read from the end of an index. */
async function listNewestIds(
  db: Kysely<FlightTables>,
  app: string,
  digests: readonly string[],
): Promise<readonly number[]> {
  const looked = digests.slice(0, valuesTogether);
  const each = Math.max(leastOfEach, Math.floor(idsRead / looked.length));
  const newest = dialectOf(db).ofEach(
    looked,
    (digest) =>
      sql`select flight_id as id from flight_digest where app = ${app} and digest = ${digest}
        order by started_at desc limit ${each}`,
  );
  const { rows } = await sql<{ id: number }>`${newest}`.execute(db);
  return [...new Set(rows.map(({ id }) => id))].toSorted((a, b) => b - a);
}

/** @param read of some ids the flights, the newest first */
async function readUntil<T>(ids: readonly number[], limit: number, read: (ids: readonly number[]) => Promise<T[]>) {
  const found: T[] = [];
  for (let at = 0; at < ids.length && found.length < limit; at += idsAtOnce) {
    found.push(...(await read(ids.slice(at, at + idsAtOnce))));
  }
  return found.slice(0, limit);
}

/** The newest flights of an app that carried one of these digests. */
export async function listFlightsOfDigests(app: string, digests: readonly string[]): Promise<readonly FlightSummary[]> {
  return readForOperator([], async (db) => {
    if (digests.length === 0) return [];
    const rows = await readUntil(await listNewestIds(db, app, digests), flightsListed, (ids) =>
      db
        .selectFrom('flight')
        .select([...listedColumns, countChunks(db)])
        .where('id', 'in', ids)
        .orderBy(sql`id + 0`, 'desc')
        .execute(),
    );
    const now = Date.now();
    return rows.map((row) => toSummary(row, now));
  });
}

export type CarriedDigest = { readonly app: string; readonly digest: string };

/** More tell nothing new: a digest is one for all flights with the same error. */
const flightsRead = 2_000;
/** Each is a look at its flight: some 50 ms. */
const digestsRead = 50_000;

/** The digests that the newest flights carried of those that match, among the newest that were carried at all, or by the app. */
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
              .$if(filter.app !== undefined, (ofApp) => ofApp.where('app', '=', filter.app ?? ''))
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
  return readForOperator([], async (db) =>
    readUntil(await listNewestIds(db, app, [digest]), flightsRead, (ids) =>
      db
        .selectFrom('flight')
        .select(['path', 'route', 'started_at as startedAt', 'duration_ms as durationMs'])
        .where('id', 'in', ids)
        .orderBy(sql`id + 0`, 'desc')
        .execute(),
    ),
  );
}

/** On each side of a time. */
const idsAround = 500;

/** An app's flights that carried this digest, those that began nearest to this time. */
export async function listIdsAround(
  db: Kysely<FlightTables>,
  { app, digest, time }: { readonly app: string; readonly digest: string; readonly time: number },
): Promise<readonly number[]> {
  const carried = db
    .selectFrom('flight_digest')
    .select('flight_id as id')
    .where('app', '=', app)
    .where('digest', '=', digest)
    .limit(idsAround);
  const after = await carried.where('started_at', '>=', time).orderBy('started_at').execute();
  const before = await carried.where('started_at', '<', time).orderBy('started_at', 'desc').execute();
  return [...after, ...before].map(({ id }) => id);
}
