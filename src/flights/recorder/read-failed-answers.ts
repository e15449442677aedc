import { sql } from 'kysely';

import { ownApp } from '#src/store/own-app.ts';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { openFlightsReader, readNewestId } from './flights-reader.ts';
import { splitDigests } from '../flight/join-digests.ts';
import { ofApp } from './of-app.ts';

/** Answers of other apps that a proxy saw fail, in the order in which they were written. */
type FailedAnswer = Pick<StoredFlight, 'app' | 'method' | 'path' | 'route' | 'kind' | 'status'> & {
  readonly requestId: string;
  readonly traceId: string;
  readonly framework: string;
  readonly digests: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
};

export type FailedAnswers = {
  readonly answers: readonly FailedAnswer[];
  /** The flight up to which they were read. */
  readonly upTo: number;
};

/** Of one app. With a look each second or so, more than a box answers in a flood that its log could still follow. */
const readAtOnce = 500;

/** 0 while nothing was ever recorded. */
export async function readNewestFlight(): Promise<number> {
  const db = await openFlightsReader();
  return db ? readNewestId(db) : 0;
}

/** The other apps of which there is a flight: each is one step in an index. */
export async function listRecordedApps(): Promise<readonly string[]> {
  const db = await openFlightsReader();
  if (!db) return [];
  const apps: string[] = [];
  for (;;) {
    const next = await db
      .selectFrom('flight')
      .select('app')
      .where(sql<boolean>`app != ${sql.lit(ownApp)}`)
      .where('app', '>', apps.at(-1) ?? '')
      .orderBy('app')
      .limit(1)
      .executeTakeFirst();
    if (!next) return apps;
    apps.push(next.app);
  }
}

/** The id of an app's flight so many before its newest, or before another one; 0 where it has fewer. */
export async function readIdBack(app: string, flights: number, before = Number.MAX_SAFE_INTEGER): Promise<number> {
  const db = await openFlightsReader();
  const found = await db
    ?.selectFrom('flight')
    .select('id')
    .where(ofApp(app))
    .where('id', '<=', before)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(flights)
    .executeTakeFirst();
  return found?.id ?? 0;
}

/** @param after the last flight that was read */
export async function readFailedAnswers(
  app: string,
  after: number,
  upTo: number,
  since: number,
): Promise<FailedAnswers> {
  const db = await openFlightsReader();
  if (!db) return { answers: [], upTo };
  const rows = await db
    .selectFrom('flight')
    .select(['id', 'app', 'method', 'path', 'route', 'kind', 'status', 'framework', 'digests'])
    .select(['request_id', 'trace_id', 'started_at', 'duration_ms'])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('status', '>=', 500)
    .where('source', '!=', 'runtime')
    .where(ofApp(app))
    .orderBy('id')
    .limit(readAtOnce)
    .execute();
  const answers = rows.map(({ request_id, trace_id, started_at, duration_ms, framework, digests, ...row }) => ({
    ...row,
    requestId: request_id,
    traceId: trace_id,
    framework: framework ?? '',
    digests: splitDigests(digests),
    startedAt: started_at,
    endedAt: started_at + Math.round(duration_ms),
  }));
  const last = rows.length < readAtOnce ? upTo : (rows.at(-1)?.id ?? upTo);
  return { answers: answers.filter(({ startedAt }) => startedAt >= since), upTo: last };
}

/** An answer that did not fail and carried a digest: with a late part that broke, or an error page within one. */
export type CarryingAnswer = {
  readonly app: string;
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
};

/** Each is a look at its flight. */
const carryingRead = 5_000;

export async function readCarryingAnswers(
  app: string,
  after: number,
  upTo: number,
  since: number,
): Promise<readonly CarryingAnswer[]> {
  const db = await openFlightsReader();
  if (!db) return [];
  const rows = await db
    .selectFrom('flight_digest')
    .innerJoin('flight', 'flight.id', 'flight_digest.flight_id')
    .select(['flight.app', 'flight_digest.digest', 'flight.started_at', 'flight.duration_ms'])
    .where('flight_digest.app', '=', app)
    .where('flight_digest.flight_id', '>', after)
    .where('flight_digest.flight_id', '<=', upTo)
    .where('flight.status', '<', 500)
    .where('flight.started_at', '>=', since)
    .orderBy('flight_digest.flight_id', 'desc')
    .limit(carryingRead)
    .execute();
  return rows.map(({ digest, started_at: startedAt, duration_ms }) => {
    return { app, digest, startedAt, endedAt: startedAt + Math.round(duration_ms) };
  });
}
