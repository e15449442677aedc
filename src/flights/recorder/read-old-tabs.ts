import type { Kysely } from 'kysely';

import { unknownBuild, type StoredFlight } from '../flight/flight-columns.ts';
import { openFlightsReader } from './flights-reader.ts';
import { ofApp } from './of-app.ts';
import type { FlightTables } from '../flight/stored-tables.ts';

/** A navigation or an action of a tab whose build was not the one that answered. */
export type OldTabRequest = Pick<StoredFlight, 'app' | 'build' | 'kind' | 'method' | 'path' | 'route' | 'status'> & {
  /** `unknown` where only that is known. */
  readonly tabBuild: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly visit: string;
  readonly framework: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
};

export type OldTabs = {
  readonly requests: readonly OldTabRequest[];
  /** The flight up to which they were read. */
  readonly upTo: number;
};

/** A deploy meets all open tabs, and each asks some times. */
const readAtOnce = 500;

/** A tab from before the proxy began: an action that it calls may have been called in its build. */
const flightsLookedBack = 10_000;

async function findBuildOfAction(
  db: Kysely<FlightTables>,
  { app, build, action, id }: Called,
): Promise<string | undefined> {
  const found = await db
    .selectFrom('flight')
    .select('build')
    .where('id', '<', id)
    .where('id', '>', id - flightsLookedBack)
    .where(ofApp(app))
    .where('action_id', '=', action)
    // One that failed in the app was called there, too; of a build that does not know it the answer is of these, or a page.
    .where((eb) => eb.or([eb('status', '<', 400), eb('status', '>=', 500)]))
    .where('tab_build', 'is', null)
    .where('build', 'not in', ['', build])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.build;
}

type Called = { readonly app: string; readonly build: string; readonly action: string; readonly id: number };

/** Those that were written between two ids: the first of them, where there are more than are read at once. */
export async function readOldTabs(after: number, upTo: number): Promise<OldTabs> {
  const db = await openFlightsReader();
  if (!db) return { requests: [], upTo };
  const rows = await db
    .selectFrom('flight')
    .select(['id', 'app', 'build', 'kind', 'method', 'path', 'route', 'status', 'framework', 'visit', 'action_id'])
    .select(['tab_build', 'request_id', 'trace_id', 'started_at'])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('tab_build', 'is not', null)
    .orderBy('id')
    .limit(readAtOnce)
    .execute();
  const builds = new Map<string, string>();
  for (const { id, app, build, tab_build, action_id: action } of rows) {
    if (tab_build !== unknownBuild || action === null || builds.has(`${app} ${action}`)) continue;
    builds.set(`${app} ${action}`, (await findBuildOfAction(db, { app, build, action, id })) ?? unknownBuild);
  }
  const requests = rows.map(({ tab_build, request_id, trace_id, started_at, framework, visit, action_id, ...row }) => ({
    ...row,
    tabBuild: (tab_build === unknownBuild ? builds.get(`${row.app} ${action_id}`) : tab_build) ?? unknownBuild,
    requestId: request_id,
    traceId: trace_id,
    visit: visit ?? '',
    framework: framework ?? '',
    startedAt: started_at,
  }));
  return { requests, upTo: rows.length < readAtOnce ? upTo : (rows.at(-1)?.id ?? upTo) };
}
