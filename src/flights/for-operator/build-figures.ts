import 'server-only';

import { sql, type Kysely } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import { ofApp } from '../recorder/of-app.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { flightSize } from './flight-size.ts';
import { findBottom } from './queries.ts';
import { readNumbers } from './rank-routes.ts';
import { readForOperator } from './read-for-operator.ts';

/** What the newest flights of an app say of its builds. No column of these has an index: so no more rows are read than these. */
const rowsRead = 10_000;
/** Visits that are looked at. */
const visitsRead = 5_000;
/** Of a visit nobody says that it has ended. */
const openMs = 30 * 60_000;

export type BuildUse = {
  readonly build: string;
  readonly flights: number;
  /** Of the flights that were read. Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Visits of the last half hour whose document is of this build. */
  readonly visits: number;
};

/** One route's usual answer in one build. */
export type BuildRoute = {
  readonly build: string;
  readonly route: string;
  readonly kind: StoredFlight['kind'];
  readonly flights: number;
  /** The median of the Flight's bytes; undefined where none is known. */
  readonly bytes: number | undefined;
  /** The median of the time to the last byte. */
  readonly ms: number;
};

export type BuildFigures = {
  /** That which began last is the first. */
  readonly builds: readonly BuildUse[];
  readonly routes: readonly BuildRoute[];
};

/** Of two in the middle what is halfway between them: with few answers the lower one would be told for a gain. */
function findMedian(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower, upper] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return lower === undefined || upper === undefined ? undefined : Math.round((lower + upper) / 2);
}

async function countVisits(db: Kysely<FlightTables>, app: string, bottom: number, now: number) {
  const rows = await db
    .selectFrom('flight')
    .select('visit')
    .select(({ fn }) => fn.max('started_at').as('seen'))
    // The id of the newest document, before its build: so the greatest is that of the document which is open.
    .select(
      sql<string | null>`max(case when kind = 'document' and build != '' then ${idBeforeBuild(db)} end)`.as('newest'),
    )
    .where('id', '>', bottom)
    .where(ofApp(app))
    .where('visit', 'is not', null)
    .groupBy('visit')
    .having(({ fn }) => fn.max('started_at'), '>=', now - openMs)
    .limit(visitsRead)
    .execute();
  const visits = new Map<string, number>();
  for (const { newest } of rows) {
    const build = newest?.slice(idDigits);
    if (build !== undefined) visits.set(build, (visits.get(build) ?? 0) + 1);
  }
  return visits;
}

const idDigits = 16;

function idBeforeBuild(db: Kysely<FlightTables>) {
  return sql`${dialectOf(db).padNumber(sql.ref('id'), idDigits)} || build`;
}

export async function readBuildFiguresIn(db: Kysely<FlightTables>, app: string, now: number): Promise<BuildFigures> {
  const join = dialectOf(db).joinValues;
  const bottom = await findBottom(db, app, (await readNewestId(db)) + 1, rowsRead);
  const groups = await db
    .selectFrom('flight')
    .select(['build', 'route', 'kind'])
    .select(({ fn }) => [fn.min('started_at').as('firstAt'), fn.max('started_at').as('lastAt')])
    .select([
      sql<number>`sum(hits)`.as('flights'),
      // What broke off or failed says nothing of its route's size and time.
      join<string | null>(sql`case when outcome != 'left' and status < 400 then duration_ms end`).as('durations'),
      join<string | null>(sql`case when outcome != 'left' and status < 400 then ${flightSize} end`).as('sizes'),
    ])
    .where('id', '>', bottom)
    .where(ofApp(app))
    .where('build', '!=', '')
    .groupBy(['build', 'route', 'kind'])
    .execute();
  const visits = await countVisits(db, app, bottom, now);
  const builds = [...Map.groupBy(groups, ({ build }) => build)].map(([build, parts]) => ({
    build,
    flights: parts.reduce((sum, { flights }) => sum + Number(flights), 0),
    firstAt: Math.min(...parts.map(({ firstAt }) => Number(firstAt))),
    lastAt: Math.max(...parts.map(({ lastAt }) => Number(lastAt))),
    visits: visits.get(build) ?? 0,
  }));
  const routes = groups.map(({ build, route, kind, durations, sizes }) => {
    const measured = readNumbers(durations);
    return {
      build,
      route,
      kind,
      flights: measured.length,
      bytes: findMedian(readNumbers(sizes)),
      ms: findMedian(measured) ?? 0,
    };
  });
  return {
    builds: builds.toSorted((a, b) => b.firstAt - a.firstAt),
    routes: routes.filter(({ flights }) => flights > 0),
  };
}

export function readBuildFigures(app: string, now: number): Promise<BuildFigures> {
  return readForOperator({ builds: [], routes: [] }, (db) => readBuildFiguresIn(db, app, now));
}
