import 'server-only';

import { readdir, rm } from 'node:fs/promises';

import { readApps } from '#src/apps/apps.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { listBuiltMaps } from '#src/faults/event/client-maps.ts';
import { appMapsFolder, mapsFolder } from '#src/store/maps-folder.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { changeMaps } from './change-maps.ts';
import { evictMaps } from './evict-maps.ts';
import { keepBuild } from './keep-build.ts';

/**
 * A tab that was opened before a deploy reports errors of the build it was loaded with. So each start copies its build's maps of
 * the browser's scripts into the data folder, where the next builds' servers find them.
 */

/** What an upload left that ran while its app was deleted. */
async function deleteFoldersOfNoApp(store: Store): Promise<void> {
  const apps = new Set([ownApp, ...(await readApps(store)).map(({ id }) => id)]);
  const folders = await readdir(mapsFolder()).catch(() => []);
  for (const app of folders) if (!apps.has(app)) await rm(appMapsFolder(app), { recursive: true, force: true });
}

/**
 * Called when the server listens. Never throws: without it, only the errors of old tabs stay as the browser sent them.
 * @param build this build's id; empty in development
 * @param age the age clock's time
 */
export async function keepOwnMaps(store: Store, build: string, root: string, age: number): Promise<void> {
  try {
    await changeMaps(async () => {
      await deleteFoldersOfNoApp(store);
      const bundle = { app: ownApp, release: build, dist: '', checksum: '' };
      // In development there is none.
      if (build !== '') await keepBuild(store, bundle, listBuiltMaps(root));
      await evictMaps(store, { age });
    });
  } catch (error) {
    writeLog('warn', 'source-maps-not-kept', { reason: describeError(error) });
  }
}
