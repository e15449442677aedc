import 'server-only';

import type { Kysely } from 'kysely';

import type { ServerTime } from '#flight';

import type { FlightTables } from '../flight/stored-tables.ts';
import type { FlightFilter } from './match-flights.ts';
import { readPercentile } from './percentile.ts';
import { readForOperator } from './read-for-operator.ts';
import { readServerTimes } from './read-spans.ts';
import { selectNewest } from './summaries.ts';
import { type SummedSpan, sumTimes } from './sum-times.ts';

/** How long the answers of a route took, and what its server did meanwhile. */
export type RouteTime = {
  /** The last day, the day before, then the builds of these two, the newest first; without those that answered nothing. */
  readonly stretches: readonly Stretch[];
  readonly spans: readonly SummedSpan[];
  /** Of how many answers these spans are; 0 where the app told nothing. */
  readonly traced: number;
};

export type Stretch = {
  readonly of: { readonly kind: 'day'; readonly isLast: boolean } | { readonly kind: 'build'; readonly build: string };
  readonly flights: number;
  /** Milliseconds from the request to the last byte. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
};

const dayMs = 86_400_000;
/** Of a deploy a day, those of the two days and some that were taken back. */
const buildsShown = 5;
/** Unpacked and summed in some 10 ms, with twenty spans each. */
const answersTraced = 200;

type Row = {
  readonly started_at: number;
  readonly duration_ms: number;
  readonly build: string;
  readonly app: string;
  readonly request_id: string;
  readonly trace_id: string;
};

function measure(of: Stretch['of'], rows: readonly Row[]): Stretch[] {
  if (rows.length === 0) return [];
  const sorted = rows.map((row) => row.duration_ms).toSorted((a, b) => a - b);
  const [p50Ms, p95Ms, p99Ms] = [
    readPercentile(sorted, 0.5),
    readPercentile(sorted, 0.95),
    readPercentile(sorted, 0.99),
  ];
  return [{ of, flights: rows.length, p50Ms, p95Ms, p99Ms }];
}

function measureStretches(rows: readonly Row[], now: number): Stretch[] {
  const ofLastDay = rows.filter((row) => row.started_at >= now - dayMs);
  const builds = Map.groupBy(rows, (row) => row.build);
  builds.delete('');
  return [
    ...measure({ kind: 'day', isLast: true }, ofLastDay),
    ...measure({ kind: 'day', isLast: false }, rows.slice(ofLastDay.length)),
    ...(builds.size > 1 ? [...builds].slice(0, buildsShown) : []).flatMap(([build, of]) =>
      measure({ kind: 'build', build }, of),
    ),
  ];
}

async function readAnswers(db: Kysely<FlightTables>, rows: readonly Row[]): Promise<ServerTime[]> {
  const [newest] = rows;
  if (!newest) return [];
  const answers = rows
    .filter(({ app }) => app === newest.app)
    .slice(0, answersTraced)
    .map((row) => ({
      requestId: row.request_id,
      traceId: row.trace_id,
      startedAt: row.started_at,
      durationMs: row.duration_ms,
    }));
  const times = await readServerTimes(db, newest.app, answers);
  return times.filter((time) => time !== undefined);
}

/**
 * Of the newest flights of the last two days that match, which are of one route. What broke off says nothing of it. Of several apps, the
 * spans are those of the app that answered last.
 */
export function readRouteTime(filter: FlightFilter & { readonly route: string }, now = Date.now()): Promise<RouteTime> {
  return readForOperator<RouteTime>({ stretches: [], spans: [], traced: 0 }, async (db) => {
    const { query } = await selectNewest(db, { ...filter, since: now - 2 * dayMs });
    const rows = await query
      .select(['started_at', 'duration_ms', 'build', 'app', 'request_id', 'trace_id'])
      .where('outcome', '!=', 'left')
      .execute();
    const byTime = rows.toSorted((a, b) => b.started_at - a.started_at);
    const answers = await readAnswers(db, byTime);
    return { stretches: measureStretches(byTime, now), spans: sumTimes(answers), traced: answers.length };
  });
}
