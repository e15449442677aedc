import 'server-only';

import type { Kysely } from 'kysely';

import { adviseOnCaches, type CacheRule } from '#flight';

import { findCacheRule, listLeaksIn } from '../recorder/leak-totals.ts';
import type { StoredLeak } from '../flight/leak.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { idMatches } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/** An answer that caches mix up or give to others. `advice`: the setting that mends it. */
export type CacheLeak = StoredLeak & { readonly cacheRule: CacheRule; readonly advice: string };

/** Of each the newest first. */
export type Leaks = {
  readonly secrets: readonly StoredLeak[];
  readonly caches: readonly CacheLeak[];
};

/** Of the answer that was counted last; undefined when it is deleted, or nothing said it. */
async function readFramework(db: Kysely<FlightTables>, { request_id: id }: StoredLeak): Promise<string | undefined> {
  const flights = db.selectFrom('flight').select('framework').where(idMatches('request_id', id));
  return (await flights.executeTakeFirst())?.framework ?? undefined;
}

/** @param app undefined: of all */
export function listLeaks(app: string | undefined): Promise<Leaks> {
  return readForOperator({ secrets: [], caches: [] }, async (db) => {
    const leaks = await listLeaksIn(db, app);
    /** An app has one. */
    const frameworks = new Map<string, string | undefined>();
    const caches: CacheLeak[] = [];
    for (const leak of leaks) {
      const cacheRule = findCacheRule(leak);
      if (!cacheRule) continue;
      if (!frameworks.has(leak.app)) frameworks.set(leak.app, await readFramework(db, leak));
      caches.push({ ...leak, cacheRule, advice: adviseOnCaches(cacheRule, frameworks.get(leak.app)) });
    }
    return { secrets: leaks.filter((leak) => !findCacheRule(leak)), caches };
  });
}
