import 'server-only';

import type { FlightSummary } from '../flight/flight-record.ts';

import { readForOperator } from './read-for-operator.ts';

/** A server that takes over is there at once, or the app is away meanwhile. */
const withinMs = 60_000;
/** Of all apps, in the order of their end. */
const rowsRead = 2_000;

export type NextBuild = { readonly build: string; /** Behind the flight's end. */ readonly afterMs: number };

/** The other build of the same app that answered first after a flight's end. Undefined where none did, or builds are not known. */
export async function findNextBuild(
  flight: Pick<FlightSummary, 'id' | 'app' | 'build' | 'startedAt' | 'durationMs'>,
): Promise<NextBuild | undefined> {
  if (flight.build === '') return undefined;
  const end = flight.startedAt + flight.durationMs;
  return readForOperator(undefined, async (db) => {
    const later = db
      .selectFrom('flight')
      .select(['id', 'app', 'build', 'started_at'])
      .where('id', '>', flight.id)
      .orderBy('id')
      .limit(rowsRead);
    const row = await db
      .selectFrom(later.as('later'))
      .select(['build', 'started_at'])
      .where('app', '=', flight.app)
      .where('build', '<>', flight.build)
      .where('build', '<>', '')
      .where('started_at', '<=', Math.ceil(end) + withinMs)
      .orderBy('started_at')
      .limit(1)
      .executeTakeFirst();
    return row && { build: row.build, afterMs: Math.max(0, row.started_at - end) };
  });
}
