import 'server-only';

import { createHash } from 'node:crypto';
import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';

import type { AppBuild } from '#src/apps/app-announcement.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { openStore } from '#src/store/open-store.ts';

import { changeMaps } from './change-maps.ts';
import { evictMaps } from './evict-maps.ts';
import { keepBuild } from './keep-build.ts';
import type { BuiltMap } from './thread/messages.ts';

/**
 * An app beside this server, on its machine, names the folder with its build's source maps, so nobody uploads them. They are kept as
 * uploads are, by the build's release: a tab that was opened before a deploy reports errors of the build it was loaded with.
 */

/** A script of each page and each component of a large app. */
const mostEntries = 10_000;
/** Eight times what an upload may have packed: maps pack to a fifth. Whatever comes after it is left out. */
const mostBytes = 512 * 1024 * 1024;

/** The builds that were named since the start. A process names its own every two seconds. */
const named = new Set<string>();
const appsWithMaps = new Set<string>();

/** Lists the maps, named from the folder above the app's `dist`, as our own are. Links are not followed. */
async function listMaps(maps: string): Promise<readonly BuiltMap[]> {
  const root = path.dirname(path.dirname(maps));
  const found: BuiltMap[] = [];
  let entries = 0;
  let bytes = 0;
  for await (const entry of await opendir(maps, { recursive: true })) {
    entries += 1;
    if (entries > mostEntries) break;
    if (!entry.isFile() || !entry.name.endsWith('.map')) continue;
    const file = path.join(entry.parentPath, entry.name);
    bytes += (await stat(file)).size;
    if (bytes > mostBytes) break;
    const script = path.relative(maps, file).slice(0, -'.map'.length);
    const folder = path.relative(root, entry.parentPath);
    found.push({ file, folder: toPosix(folder), url: `~/${toPosix(script)}` });
  }
  return found;
}

function toPosix(name: string): string {
  return name.split(path.sep).join('/');
}

/** A release may be built twice. The scripts' names have the hashes of their contents. */
function toChecksum(maps: readonly BuiltMap[]): string {
  const urls = maps.map(({ url }) => url).toSorted();
  return createHash('sha1').update(urls.join('\n')).digest('hex');
}

async function keep(app: string, { release, maps: folder }: AppBuild): Promise<void> {
  const maps = await listMaps(folder);
  if (maps.length === 0) return;
  appsWithMaps.add(app);
  const store = await openStore();
  const kept = await keepBuild(store, { app, release, dist: '', checksum: toChecksum(maps) }, maps);
  if (kept !== undefined) await evictMaps(store, { latest: kept });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Never throws: without it, errors stay as the browser sent them. Once for each build. */
export async function keepAppMaps(app: string, build: AppBuild): Promise<void> {
  const name = JSON.stringify([app, build.release, build.maps]);
  if (named.has(name)) return;
  named.add(name);
  try {
    await changeMaps(() => keep(app, build));
  } catch (error) {
    // An app that wants maps of its own kind has no such folder.
    if (!isMissing(error)) writeLog('warn', 'source-maps-not-kept', { app, reason: describeError(error) });
  }
}

/** Whether an app beside this server has told it a build with maps: then nobody needs to upload any. */
export function areMapsKept(app: string): boolean {
  return appsWithMaps.has(app);
}
