import path from 'node:path';

import { dataFolder } from './data-folder.ts';

/**
 * Source maps are files in the data folder: those of an app in a folder of its own, named by its id, each named by the hash of its
 * content. Two apps share none, so nothing that one uploads is ever read for another, and an app's deletion deletes its folder.
 */
export function mapsFolder(): string {
  return path.join(dataFolder(), 'source-maps');
}

/** @param app the id of an app, which has no character that means something in a path */
export function appMapsFolder(app: string): string {
  return path.join(mapsFolder(), app);
}
