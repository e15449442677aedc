import 'server-only';

import { sql, type Kysely } from 'kysely';

import type { StoredFlight } from '../flight/flight-columns.ts';
import type { ElidedElement, FlightSummary, RecordedFlight } from '../flight/flight-record.ts';
import { hasIndex, isOfApp, ofApp } from '../recorder/of-app.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import { decodeStored, joinStoredFlight } from '../flight/stored-flight.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { countChunks } from './count-chunks.ts';
import { findIdAt } from './find-id-at.ts';
import { listIdsAround } from './flights-of-digests.ts';
import { matchFlights, type FlightFilter } from './match-flights.ts';
import { readForOperator } from './read-for-operator.ts';

/**
 * What pages read from the recording. A list searches a bounded stretch of it at a time, because most columns have no index: to
 * write every flight into another index would cost more than to search.
 */

/** Flights that one call searches, the newest first: some 20 ms. */
export const stretch = 20_000;
const longestPage = 500;
/** A tab that was open all day. */
export const visitLimit = 2_000;

/** Matches an id by the index of its beginning (writer/migrations.ts); PostgreSQL has one of the whole. */
export function idMatches(column: 'request_id' | 'trace_id', id: string) {
  return sql<boolean>`substr(${sql.ref(column)}, 1, 8) = ${id.slice(0, 8)} and ${sql.ref(column)} = ${id}`;
}

export type FlightPage = {
  /** Newest first. */
  readonly flights: readonly FlightSummary[];
  /** To be passed as `before` for what comes after; undefined at the end of the recording. */
  readonly next: number | undefined;
  /** The newest id of all at that time, 0 when there is none. A flight with a higher id is new. */
  readonly newest: number;
};

function selectMatching(db: Kysely<FlightTables>, filter: FlightFilter) {
  return db
    .selectFrom('flight')
    .select([...listedColumns, countChunks(db)])
    .where(matchFlights(filter));
}

/**
 * Where a search ends that begins below `top`: it reads no more rows than a stretch has. Those of an app with an index are
 * counted among themselves, so that an app with few flights in a busy recording is searched whole.
 */
export async function findBottom(
  db: Kysely<FlightTables>,
  app: string | undefined,
  top: number,
  rows: number,
): Promise<number> {
  if (!hasIndex(app)) return Math.max(0, top - 1 - rows);
  const last = await db
    .selectFrom('flight')
    .select('id')
    .where(ofApp(app))
    .where('id', '<', top)
    .orderBy('id', 'desc')
    .offset(rows)
    .limit(1)
    .executeTakeFirst();
  return last?.id ?? 0;
}

/** The same upwards: where a search ends that begins at `bottom`. */
async function findTop(db: Kysely<FlightTables>, app: string | undefined, bottom: number): Promise<number> {
  if (!hasIndex(app)) return bottom + stretch;
  const last = await db
    .selectFrom('flight')
    .select('id')
    .where(ofApp(app))
    .where('id', '>=', bottom)
    .orderBy('id')
    .offset(stretch)
    .limit(1)
    .executeTakeFirst();
  return last?.id ?? Number.MAX_SAFE_INTEGER;
}

/**
 * Newest first, a page at a time. When a filter finds little, the page is short and has a `next`: one call searches no more
 * than a stretch.
 * @param range `before` an id of an earlier page's `next`; `since` the newest id that is known, for what is new
 */
export async function listFlights(
  filter: FlightFilter,
  range: { readonly before?: number; readonly since?: number; readonly limit: number },
): Promise<FlightPage> {
  return readForOperator({ flights: [], next: undefined, newest: 0 }, async (db) => {
    const newest = await readNewestId(db);
    const top = range.before ?? newest + 1;
    // Digests have an index, and each has few flights, so the whole recording is searched.
    const reach = filter.digest === undefined ? await findBottom(db, filter.app, top, stretch) : 0;
    const bottom = Math.max(range.since ?? 0, reach);
    const limit = Math.min(range.limit, longestPage);
    const rows = await selectMatching(db, filter)
      .where('id', '<', top)
      .where('id', '>', bottom)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    const now = Date.now();
    const last = rows.at(-1);
    const end = rows.length === limit && last ? last.id : bottom + 1;
    const isMore = end > (range.since ?? 0) + 1 && (await hasOlder(db, filter.app, end));
    return { flights: rows.map((row) => toSummary(row, now)), next: isMore ? end : undefined, newest };
  });
}

export async function hasOlder(db: Kysely<FlightTables>, app: string | undefined, id: number): Promise<boolean> {
  const older = db.selectFrom('flight').select('id').where('id', '<', id).limit(1);
  return (await (hasIndex(app) ? older.where(ofApp(app)) : older).executeTakeFirst()) !== undefined;
}

/**
 * For the way back from an older page: the `before` of the page that is `limit` flights newer than the one that begins
 * below `before`. Undefined when that is the newest page, which needs none.
 */
export async function findNewerPage(filter: FlightFilter, before: number, limit: number): Promise<number | undefined> {
  return readForOperator(undefined, async (db) => {
    const rows = await selectMatching(db, filter)
      .where('id', '>=', before)
      .where('id', '<', await findTop(db, filter.app, before))
      .orderBy('id')
      .limit(Math.min(limit, longestPage) + 1)
      .execute();
    return rows.length > limit ? rows.at(-1)?.id : undefined;
  });
}

/** Flights that carried `digest`, newest first: of one app, or of all. */
export async function findFlightsByDigest(digest: string, app?: string): Promise<readonly FlightSummary[]> {
  return readForOperator([], async (db) => {
    const rows = await selectMatching(db, { digest, ...(app === undefined ? {} : { app }) })
      .orderBy('id', 'desc')
      .limit(longestPage)
      .execute();
    return rows.map((row) => toSummary(row, Date.now()));
  });
}

/** The flight of one request; of several that a proxy saw under one id, the newest. */
export async function findFlightOfRequest(requestId: string): Promise<FlightSummary | undefined> {
  return readForOperator(undefined, async (db) => {
    const row = await db
      .selectFrom('flight')
      .select([...listedColumns, countChunks(db)])
      .where(idMatches('request_id', requestId))
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && toSummary(row, Date.now());
  });
}

/** What an error of another app says of its request; empty where it does not. */
export type ErrorTraits = {
  readonly app: string;
  readonly digest: string | null;
  readonly requestId: string;
  readonly traceId: string;
  /** Of its request; empty or undefined where it does not say it. */
  readonly method?: string;
  /** Milliseconds since 1970. */
  readonly time: number;
};

/** An answer begins before its error, and a stream may be open for long. */
const carriedWithinMs = 5 * 60_000;

/** A trace is what its sender says: a thousand flights may have one. */
const idsOfName = 500;

/** An app on another machine has a clock of its own, and what it prints is read a moment later. */
const clockMs = 2_000;
/** On one machine. What is no nearer counts only where nothing is. */
const nearMs = 500;

/** Whether a flight may have had an error of this time: what is under way fails, and no other. */
export function wasUnderWay(
  { startedAt, durationMs }: Pick<FlightSummary, 'startedAt' | 'durationMs'>,
  time: number,
  slackMs: number = clockMs,
): boolean {
  return startedAt <= time + slackMs && time - slackMs <= startedAt + durationMs;
}

/** The flights of an error, and what says that they are. */
export type FlightsOfError = {
  /**
   * `request`: the error names it. `trace`: it names theirs, which is a document with all that followed. `time`: they carried its digest
   * and were under way, as those of another visitor may have been. `digest`: they carried it, and none was under way.
   */
  readonly foundBy: 'request' | 'trace' | 'time' | 'digest';
  /** The nearest in time first. */
  readonly flights: readonly FlightSummary[];
};

/** The flights of this app's request that failed, or that carried the digest within five minutes. */
export async function findFlightsOfError(error: ErrorTraits): Promise<FlightsOfError> {
  const { app, digest, requestId, traceId, method = '', time } = error;
  return readForOperator<FlightsOfError>({ foundBy: 'request', flights: [] }, async (db) => {
    const find = (column: 'request_id' | 'trace_id', id: string) =>
      db.selectFrom('flight').select('id').where(idMatches(column, id)).where(isOfApp(app)).limit(idsOfName).execute();
    async function read(ids: readonly number[]): Promise<readonly FlightSummary[]> {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('flight')
        .select([...listedColumns, countChunks(db)])
        .where('id', 'in', ids)
        .where(isOfApp(app))
        .where('started_at', '>=', time - carriedWithinMs)
        .where('started_at', '<=', time + carriedWithinMs)
        .execute();
      const now = Date.now();
      return rows.map((row) => toSummary(row, now)).toSorted((one, other) => distance(one) - distance(other));
    }
    const distance = ({ startedAt }: FlightSummary) => Math.abs(startedAt - time);
    const toIds = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
    const isUnderWay = (one: FlightSummary) => wasUnderWay(one, time);

    // What is sure comes before what only has the same digest, however much that is.
    const ofRequest = requestId === '' ? [] : await read(toIds(await find('request_id', requestId)));
    if (ofRequest.length > 0) return { foundBy: 'request', flights: ofRequest };
    const traced = traceId === '' ? [] : await read(toIds(await find('trace_id', traceId)));
    const isCarrier = ({ digests }: FlightSummary) => digest !== null && digests.includes(digest);
    const ofTrace = [traced.filter((one) => isCarrier(one) && isUnderWay(one)), traced.filter(isUnderWay), traced];
    const nearest = ofTrace.find((list) => list.length > 0);
    if (nearest) return { foundBy: 'trace', flights: nearest };
    const carried = digest === null ? [] : await read(await listIdsAround(db, { app, digest, time }));
    // The same digest comes from every copy of an error: those of other visitors were not under way when this one happened.
    const underWay = carried.filter((one) => isUnderWay(one) && (method === '' || one.method === method));
    const near = underWay.filter((one) => wasUnderWay(one, time, nearMs));
    if (near.length > 0) return { foundBy: 'time', flights: near };
    return underWay.length > 0 ? { foundBy: 'time', flights: underWay } : { foundBy: 'digest', flights: carried };
  });
}

/** Of a busy app so many of its flights are looked at, on either side of the error. */
const lookedAt = 2_000;

/** What an error that names no request, and has no digest, says of it; empty where it does not. */
export type PlaceOfError = Pick<ErrorTraits, 'app' | 'time'> & { readonly method: string; readonly path: string };

/** The answers that failed and were under way at this time, the nearest first. They may be of another error. */
export async function findFailedAt({ app, method, path, time }: PlaceOfError): Promise<readonly FlightSummary[]> {
  return readForOperator([], async (db) => {
    const at = await findIdAt(db, app, time);
    const ids = db.selectFrom('flight').select('id').where(ofApp(app)).limit(lookedAt);
    const after = await ids.where('id', '>=', at).orderBy('id').execute();
    const before = await ids.where('id', '<', at).orderBy('id', 'desc').execute();
    const rows = await db
      .selectFrom('flight')
      .select([...listedColumns, countChunks(db)])
      .where('id', '>=', before.at(-1)?.id ?? at)
      .where('id', '<=', after.at(-1)?.id ?? at)
      .where(ofApp(app))
      // What nobody caught is a 500.
      .where((eb) => (path === '' ? eb('status', '=', 500) : eb.and([eb('status', '>=', 500), eb('path', '=', path)])))
      .execute();
    const now = Date.now();
    const found = rows
      .map((row) => toSummary(row, now))
      .filter((flight) => wasUnderWay(flight, time))
      .filter((flight) => (path === '' ? flight.digests.length === 0 : method === '' || flight.method === method))
      .toSorted((one, other) => Math.abs(one.startedAt - time) - Math.abs(other.startedAt - time));
    const exact = found.filter((flight) => wasUnderWay(flight, time, 0));
    return exact.length > 0 ? exact : found;
  });
}

/** A trace's id and a tab's are what their senders say: two apps may have the same. */
type OfVisit = Pick<FlightSummary, 'visit' | 'traceId'> & { readonly app?: string | undefined };

/**
 * A visit from its first document on, oldest first: the flights of one tab, or those of the same trace for a document whose tab
 * never named itself. Counted hits belong to many visits, so for them there are none.
 */
export async function listVisit(flight: OfVisit): Promise<readonly FlightSummary[]> {
  if (flight.visit === undefined && flight.traceId === '') return [];
  return readForOperator([], async (db) => {
    const rows = await selectVisit(db, flight)
      .select([...listedColumns, countChunks(db)])
      // As they were written, which an index has in order. A page that streams is written after what it asked for.
      .orderBy('id')
      .limit(visitLimit)
      .execute();
    const flights = rows.map((row) => toSummary(row, Date.now()));
    return flights.toSorted((a, b) => a.startedAt - b.startedAt || a.id - b.id);
  });
}

/** How many hits between two times were counted, and not recorded one by one: some may belong to a visit of that time. */
export async function countHitsBetween(from: number, to: number): Promise<number> {
  return readForOperator(0, async (db) => {
    const { hits } = await db
      .selectFrom('flight')
      .select(({ fn }) => fn.sum<number | null>('hits').as('hits'))
      .where('last_at', 'is not', null)
      // Whole numbers, as the columns are: the end of a visit has fractions.
      .where('last_at', '>=', Math.ceil(from))
      .where('started_at', '<=', Math.floor(to))
      .executeTakeFirstOrThrow();
    return hits ?? 0;
  });
}

function selectVisit(db: Kysely<FlightTables>, { visit, traceId, app }: OfVisit) {
  const query = db.selectFrom('flight').$if(app !== undefined, (ofAll) => ofAll.where(isOfApp(app ?? '')));
  return visit === undefined ? query.where(idMatches('trace_id', traceId)) : query.where('visit', '=', visit);
}

function parseNames(json: string): readonly string[] {
  const parsed: unknown = JSON.parse(json);
  if (!Array.isArray(parsed)) throw new Error('A row of the recording has no list of elements');
  return parsed.filter((name) => typeof name === 'string');
}

/** The newest earlier flight of the visit that brought each element. */
async function completeElided(
  db: Kysely<FlightTables>,
  row: Pick<StoredFlight, 'visit' | 'trace_id' | 'started_at' | 'id' | 'app'>,
  elements: readonly string[],
): Promise<ElidedElement[]> {
  if (elements.length === 0) return [];
  const earlier = await selectVisit(db, { visit: row.visit ?? undefined, traceId: row.trace_id, app: row.app })
    .select(['id', 'started_at', 'elements_json', 'rendering'])
    .where('started_at', '<=', row.started_at)
    .where('id', '!=', row.id)
    .orderBy('id', 'desc')
    .limit(visitLimit)
    .execute();
  earlier.sort((a, b) => b.started_at - a.started_at || b.id - a.id);
  const brought = new Map<string, number>();
  for (const flight of earlier) {
    for (const element of parseNames(flight.elements_json)) {
      if (!brought.has(element)) brought.set(element, flight.id);
    }
  }
  const prerendered = earlier.find(({ rendering }) => rendering === 'prerendered')?.id;
  return elements.map((element) => {
    const id = brought.get(element);
    if (id !== undefined) return { element, from: { id, isCertain: true } };
    return { element, from: prerendered === undefined ? undefined : { id: prerendered, isCertain: false } };
  });
}

/** Reads a flight's body alone, for the viewer, which knows the rest from the page. */
export async function readFlightBody(id: number): Promise<Pick<RecordedFlight, 'content' | 'body'> | undefined> {
  return readForOperator(undefined, async (db) => {
    const row = await db
      .selectFrom('flight')
      .leftJoin('body', 'body.id', 'flight.body_id')
      .select(['flight.content', 'body.encoding', 'body.data'])
      .where('flight.id', '=', id)
      .executeTakeFirst();
    if (!row) return undefined;
    const { content, encoding, data } = row;
    return { content, body: encoding && data ? decodeStored({ encoding, data }) : new Uint8Array() };
  });
}

/** One flight with everything that was kept of it. */
export async function readFlight(id: number): Promise<RecordedFlight | undefined> {
  return readForOperator(undefined, async (db) => {
    const row = await db.selectFrom('flight').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const body =
      row.body_id === null
        ? undefined
        : await db.selectFrom('body').select(['encoding', 'data']).where('id', '=', row.body_id).executeTakeFirst();
    const attached = await db.selectFrom('attachment').selectAll().where('flight_id', '=', id).execute();
    const stored = joinStoredFlight(row, body, attached, Date.now());
    return { ...stored, elided: await completeElided(db, row, stored.elided) };
  });
}
