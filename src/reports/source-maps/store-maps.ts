import 'server-only';

import { randomUUID } from 'node:crypto';

import type { Store } from '#src/store/open-store.ts';

import { forgetFoundMaps } from './find-maps.ts';
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
  { db }: Store,
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

/** @returns the bundle's id */
export async function storeMaps(store: Store, bundle: NewBundle, maps: readonly StoredMap[]): Promise<string> {
  const id = randomUUID();
  const { app, release } = bundle;
  const now = Date.now();
  await store.transact(async (trx) => {
    await trx
      .insertInto('map_bundle')
      .values({ id, ...bundle, created: now, last_used: now })
      .execute();
    for (let at = 0; at < maps.length; at += rowsAtOnce) {
      const rows = maps.slice(at, at + rowsAtOnce).map(({ url, debugId, hash, bytes }) => {
        return { bundle: id, app, release, url, debug_id: debugId ?? null, hash, bytes };
      });
      await trx.insertInto('map_file').values(rows).execute();
    }
  });
  forgetFoundMaps();
  return id;
}
