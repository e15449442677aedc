import 'server-only';

import { randomUUID } from 'node:crypto';

import type { Kysely } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { forgetFoundMaps } from './find-maps.ts';
import { areContentsKept, keepContents } from './keep-in-database.ts';
import type { StoredMap } from './thread/messages.ts';

export type NewBundle = {
  readonly app: string;
  readonly release: string;
  readonly dist: string;
  readonly checksum: string;
};

/** SQLite takes some 32,000 values in a statement, and a row has seven. */
const rowsAtOnce = 500;

/** @returns the bundle's id; undefined when it is there already */
export async function findBundle(
  db: Kysely<Tables>,
  { app, release, dist, checksum }: NewBundle,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('map_bundle')
    .select('id')
    .where('app', '=', app)
    .where('release', '=', release)
    .where('dist', '=', dist)
    .where('checksum', '=', checksum)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Two processes may store the same bundle at once: the second finds that of the first.
 * @returns the bundle's id
 * @throws when a map was deleted meanwhile, because another bundle that had it was deleted
 */
export async function storeMaps(store: Store, bundle: NewBundle, maps: readonly StoredMap[]): Promise<string> {
  const { app, release } = bundle;
  const now = Date.now();
  const hashes = maps.map(({ hash }) => hash);
  await keepContents(store.db, app, hashes);
  const stored = await store.transact(async (trx) => {
    const known = await findBundle(trx, bundle);
    if (known !== undefined) return known;
    if (!(await areContentsKept(trx, app, hashes))) throw new Error('a source map was deleted while it was stored');
    const id = randomUUID();
    await trx
      .insertInto('map_bundle')
      .values({ id, ...bundle, created: now, last_used: now })
      .execute();
    // A list may name one script ten thousand times.
    const distinct = [...new Map(maps.map((map) => [`${map.debugId ?? ''} ${map.url}`, map])).values()];
    for (let at = 0; at < distinct.length; at += rowsAtOnce) {
      const rows = distinct.slice(at, at + rowsAtOnce).map(({ url, debugId, hash, bytes }) => {
        return { bundle: id, app, release, url, debug_id: debugId ?? null, hash, bytes, created: now };
      });
      await trx.insertInto('map_file').values(rows).execute();
    }
    return id;
  });
  forgetFoundMaps();
  return stored;
}
