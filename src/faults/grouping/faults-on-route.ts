import 'server-only';

import type { Kysely } from 'kysely';

import { listDigestsOfFlights } from '#src/flights/for-operator/flights-of-digests.ts';
import type { Tables } from '#src/store/schema.ts';

import { listNewestUnder } from '../kept/newest-under.ts';
import { readRouteText } from './filter-faults.ts';

/**
 * Faults of servers whose digest the newest flights of a route carried. An error that an app only prints does not say where it was; the
 * answer that carried its digest does.
 */
export async function findFaultsOnRoute(
  db: Kysely<Tables>,
  app: string | undefined,
  route: string,
): Promise<ReadonlySet<string>> {
  const carried = await listDigestsOfFlights({ ...(app === undefined ? {} : { app }), ...readRouteText(route) });
  const faults = new Set<string>();
  for (const [of, digests] of Map.groupBy(carried, (one) => one.app)) {
    const rows = await listNewestUnder(
      db,
      of,
      digests.map(({ digest }) => digest),
    );
    for (const { fault } of rows) if (fault !== null) faults.add(fault);
  }
  return faults;
}
