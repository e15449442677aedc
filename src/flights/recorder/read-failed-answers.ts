import { ownApp } from '#src/store/own-app.ts';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { openFlightsReader, readNewestId } from './flights-reader.ts';
import { splitDigests } from '../flight/join-digests.ts';

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

/** With a look each second or so, more than a box answers in a flood that its log could still follow. */
const readAtOnce = 500;

/** 0 while nothing was ever recorded. */
export async function readNewestFlight(): Promise<number> {
  const db = await openFlightsReader();
  return db ? readNewestId(db) : 0;
}

/** @param after the last flight that was read */
export async function readFailedAnswers(after: number, upTo: number, since: number): Promise<FailedAnswers> {
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
    .where('app', '!=', ownApp)
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
    .where('flight_digest.flight_id', '>', after)
    .where('flight_digest.flight_id', '<=', upTo)
    .where('flight.status', '<', 500)
    .where('flight.started_at', '>=', since)
    .orderBy('flight_digest.flight_id', 'desc')
    .limit(carryingRead)
    .execute();
  return rows.map(({ app, digest, started_at: startedAt, duration_ms }) => {
    return { app, digest, startedAt, endedAt: startedAt + Math.round(duration_ms) };
  });
}
