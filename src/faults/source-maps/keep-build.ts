import 'server-only';

import { appMapsFolder } from '#src/store/maps-folder.ts';
import type { Store } from '#src/store/open-store.ts';

import { startThread } from './start-thread.ts';
import { findBundle, type NewBundle, storeMaps } from './store-maps.ts';
import type { BuiltMap } from './thread/messages.ts';

/** A hundred maps of some 100 KB. Nobody waits for it. */
const keepDeadlineMs = 120_000;

/**
 * Copies the maps that a build has left into the data folder, once. Whoever calls does so in `changeMaps`.
 * @returns the bundle's id; undefined when it is there already, or cannot be stored
 */
export async function keepBuild(
  store: Store,
  bundle: NewBundle,
  maps: readonly BuiltMap[],
): Promise<string | undefined> {
  if (maps.length === 0 || !store.admitsFiles() || (await findBundle(store.db, bundle))) return undefined;
  const thread = startThread();
  try {
    const answer = await thread.ask({ type: 'keep', maps, folder: appMapsFolder(bundle.app) }, keepDeadlineMs);
    return answer.type === 'stored' ? await storeMaps(store, bundle, answer.maps) : undefined;
  } finally {
    await thread.end();
  }
}
