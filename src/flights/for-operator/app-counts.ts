import 'server-only';

import { sql, type Kysely } from 'kysely';

import { ownApp } from '#src/store/own-app.ts';

import { ofApp } from '../recorder/of-app.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import { findBottom } from './queries.ts';
import { rememberSlowCount } from './remember-slow-count.ts';
import { readForOperator } from './read-for-operator.ts';

/** What is recorded of one app. */
export type AppFlights = {
  /** Counted hits are as many. */
  readonly flights: number;
  /** Of the newest flight, in milliseconds since 1970. */
  readonly lastAt: number | undefined;
  /** Of the newest flight that says one. */
  readonly framework: string | undefined;
};

/** Where an app has no index: rows that are searched for its newest flight, some 50 ms. */
const searched = 50_000;
/** Flights that are asked for their framework: the answer of an action may carry nothing that says it. */
const asked = 200;

const countAll = rememberSlowCount(async (db) => {
  const { rows } = await sql<{ flights: number }>`
    select (select count(*) from flight) +
      (select coalesce(sum(hits - 1), 0) from flight where last_at is not null) as flights`.execute(db);
  return rows[0]?.flights ?? 0;
});

/** From the index alone. Hits are counted together only where this server has the file (../count-hits.ts). */
const countOthers = rememberSlowCount(async (db): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom('flight')
    .select(['app', ({ fn }) => fn.countAll<number>().as('flights')])
    .where('app', '!=', sql.lit(ownApp))
    .groupBy('app')
    .execute();
  return new Map(rows.map(({ app, flights }) => [app, flights]));
});

async function readNewest(db: Kysely<FlightTables>, app: string) {
  const bottom = await findBottom(db, app, (await readNewestId(db)) + 1, searched);
  const newest = db.selectFrom('flight').where(ofApp(app)).where('id', '>', bottom).orderBy('id', 'desc');
  const last = await newest.select('started_at').limit(1).executeTakeFirst();
  const named = await db
    .selectFrom(newest.select('framework').limit(asked).as('newest'))
    .select('framework')
    .where('framework', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return { lastAt: last?.started_at, framework: named?.framework ?? undefined };
}

/** Counts the flights of each app that is asked for; nothing stands for one without a recording. */
export async function countAppFlights(apps: readonly string[]): Promise<ReadonlyMap<string, AppFlights>> {
  return readForOperator<ReadonlyMap<string, AppFlights>>(new Map(), async (db) => {
    const others = await countOthers(db);
    const own = [...others.values()].reduce((left, flights) => left - flights, await countAll(db));
    const counted = new Map<string, AppFlights>();
    for (const app of apps) {
      const flights = app === ownApp ? own : (others.get(app) ?? 0);
      if (flights > 0) counted.set(app, { flights, ...(await readNewest(db, app)) });
    }
    return counted;
  });
}

/** When the newest flight of an app began, in milliseconds since 1970. */
export async function readLastFlight(app: string): Promise<number | undefined> {
  return readForOperator<number | undefined>(undefined, async (db) => (await readNewest(db, app)).lastAt);
}
