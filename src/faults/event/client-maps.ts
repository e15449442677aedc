import 'server-only';

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { BuiltMap, MapPlace } from '../source-maps/thread/messages.ts';

/**
 * Finds the source maps that the build put into `dist/maps`. A map's path there is the
 * script's path in public. The file name in a frame comes from a stranger. It is only looked up in the list of maps
 * that existed at the first report, and is never used as a path.
 */
const mapsByAsset = new Map<string, ReadonlyMap<string, string>>();

function listMaps(folder: string): ReadonlyMap<string, string> {
  const known = mapsByAsset.get(folder);
  if (known) return known;
  const maps = new Map<string, string>();
  if (existsSync(folder)) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const asset = `/${name.split(path.sep).join('/')}`;
      if (asset.endsWith('.map')) maps.set(asset.slice(0, -'.map'.length), path.join(folder, name));
    }
  }
  mapsByAsset.set(folder, maps);
  return maps;
}

/** The map of one of this build's scripts, for the thread that reads maps. */
export function readBuiltMap(file: string, root: string): MapPlace | undefined {
  const folder = path.join(root, 'dist', 'maps');
  const map = listMaps(folder).get(file);
  return map === undefined ? undefined : { type: 'built', file: map, folder: nameFolder(root, map) };
}

/** All of them, with the scripts' addresses as uploads name them: from the root of the site. */
export function listBuiltMaps(root: string): BuiltMap[] {
  const maps = listMaps(path.join(root, 'dist', 'maps'));
  return [...maps].map(([url, file]) => ({ url: `~${url}`, file, folder: nameFolder(root, file) }));
}

/** Names the folder from the project's root, as maps name their sources. */
function nameFolder(root: string, map: string): string {
  return path.relative(root, path.dirname(map)).split(path.sep).join('/');
}
