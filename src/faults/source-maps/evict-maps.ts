import 'server-only';

import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { sql } from 'kysely';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { appMapsFolder, mapsFolder } from '#src/store/maps-folder.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { forgetFoundMaps } from './find-maps.ts';
import { dropOldChunks } from './keep-chunks.ts';
import { dropContents, sweepContents } from './keep-in-database.ts';
import { uploadLimits } from './limits.ts';

/**
 * Deletes bundles that are not needed any more, and then the files that no bundle names:
 * - of this server's own builds, all but the last few: a tab that is older than five deploys has most likely been closed;
 * - of other apps, those with which no frame was resolved for as long as errors are kept;
 * - beyond the budget, of the app that has most, the one that was used least recently.
 * Whoever calls does so in `changeMaps`.
 */
export const buildsKept = 5;
const ageLimitMs = 90 * 24 * 3600 * 1000;

/** By app: what deleted bundles named. */
type Dropped = ReadonlyMap<string, ReadonlySet<string>>;

type Bundle = { readonly id: string; readonly app: string; readonly lastUsed: number; readonly created: number };

async function listBundles({ db }: Store): Promise<readonly Bundle[]> {
  return db
    .selectFrom('map_bundle')
    .select(['id', 'app', 'last_used as lastUsed', 'created'])
    .orderBy('created', 'desc')
    .orderBy('id')
    .execute();
}

function pickOld(bundles: readonly Bundle[], age: number | undefined): string[] {
  const builds = bundles.filter(({ app }) => app === ownApp).slice(buildsKept);
  const unused = bundles.filter(
    ({ app, lastUsed }) => app !== ownApp && age !== undefined && age - lastUsed > ageLimitMs,
  );
  return [...builds, ...unused].map(({ id }) => id);
}

/** Of a row that names a file, beside its address: ids, a release, hashes and their entries in the indexes. */
const rowBytes = 600;
/** Of `FLIGHT_DATA_LIMIT`, what rows that name maps may take. By default it is a hundred thousand of them. */
const rowsShare = 0.04;

/** Measures the files by app, each once however many bundles share it, and the rows that name them. */
async function measureMaps({ db }: Store): Promise<{ readonly files: Sums; readonly rows: Sums }> {
  const files = db.selectFrom('map_file').select(['app', 'hash', 'bytes']).distinct().as('files');
  const ofFiles = await db
    .selectFrom(files)
    .select(['app', ({ fn }) => fn.sum<number>('bytes').as('bytes')])
    .groupBy('app')
    .execute();
  const ofRows = await db
    .selectFrom('map_file')
    .select(['app', sql<number>`sum(length(url) + ${rowBytes})`.as('bytes')])
    .groupBy('app')
    .execute();
  const toMap = (rows: typeof ofFiles) => new Map(rows.map(({ app, bytes }) => [app, Number(bytes)]));
  return { files: toMap(ofFiles), rows: toMap(ofRows) };
}

type Sums = ReadonlyMap<string, number>;

function sumOf(sums: Sums): number {
  return [...sums.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Of what is beyond its budget, the app that has most: files have a budget of their own, rows a share of the database. */
async function findLargest(store: Store): Promise<string | undefined> {
  const { files, rows } = await measureMaps(store);
  const isOver = (sums: Sums, most: number) => sumOf(sums) > most;
  const held = isOver(rows, store.limitBytes * rowsShare) ? rows : files;
  if (held === files && !isOver(files, readSetting('SOURCE_MAPS_MIB'))) return undefined;
  return [...held].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/**
 * Of the app that has most, the one that was used least; the one that came just now is its last. So an upload that is larger than all
 * that others have goes itself; where there are no others, it stays, however large it is.
 * @returns undefined when all maps together are within the budget
 */
async function pickForRoom(store: Store, latest: string | undefined): Promise<string | undefined> {
  const largest = await findLargest(store);
  if (largest === undefined) return undefined;
  const bundles = await listBundles(store);
  const ofApp = bundles.filter(({ app }) => app === largest);
  const byUse = ofApp.toSorted((a, b) => Number(a.id === latest) - Number(b.id === latest) || a.lastUsed - b.lastUsed);
  const id = byUse[0]?.id;
  return id === latest && ofApp.length === bundles.length ? undefined : id;
}

/** @returns the hashes that they named, by app */
async function deleteBundles({ transact }: Store, ids: readonly string[]): Promise<Dropped> {
  return transact(async (trx) => {
    const dropped = new Map<string, Set<string>>();
    const files = trx.selectFrom('map_file').select(['app', 'hash']).distinct().where('bundle', 'in', ids);
    for (const { app, hash } of await files.execute()) dropped.set(app, (dropped.get(app) ?? new Set()).add(hash));
    await trx.deleteFrom('map_bundle').where('id', 'in', ids).execute();
    for (const [app, hashes] of dropped) await dropContents(trx, app, [...hashes]);
    return dropped;
  });
}

/**
 * Deletes the files of an app's folder that no bundle names: those that bundles named until now, and those of which nothing came. Another
 * process of this machine may be storing its own.
 */
async function sweepFiles({ db }: Store, app: string, dropped: ReadonlySet<string> | undefined): Promise<void> {
  const folder = appMapsFolder(app);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const rows = await db.selectFrom('map_file').select('hash').distinct().where('app', '=', app).execute();
  const named = new Set(rows.map(({ hash }) => hash));
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if (!entry.isFile() || named.has(entry.name)) continue;
    if (dropped?.has(entry.name) || (await isAbandoned(file))) await rm(file, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > uploadLimits.waitingMs;
}

/**
 * @param latest the bundle that came just now: of its app it goes last, although nothing was resolved with it yet
 * @param age the age clock's time; undefined: nothing is deleted for its age
 * @returns how many bundles were deleted
 */
export async function evictMaps(
  store: Store,
  { latest, age }: { latest?: string; age?: number } = {},
): Promise<number> {
  const old = pickOld(await listBundles(store), age);
  const dropped: Dropped[] = old.length > 0 ? [await deleteBundles(store, old)] : [];
  let count = old.length;
  for (let next = await pickForRoom(store, latest); next !== undefined; next = await pickForRoom(store, latest)) {
    dropped.push(await deleteBundles(store, [next]));
    count += 1;
  }
  forgetFoundMaps();
  await sweepContents(store.db);
  const apps = await readdir(mapsFolder()).catch(() => []);
  for (const app of apps) {
    await dropOldChunks(app);
    await sweepFiles(store, app, new Set(dropped.flatMap((hashes) => [...(hashes.get(app) ?? [])])));
  }
  return count;
}

/** All that was uploaded for an app, or one release of it. */
export async function deleteMaps(store: Store, app: string, release?: string): Promise<void> {
  let bundles = store.db.selectFrom('map_bundle').select('id').where('app', '=', app);
  if (release !== undefined) bundles = bundles.where('release', '=', release);
  const ids = (await bundles.execute()).map(({ id }) => id);
  const dropped = ids.length > 0 ? await deleteBundles(store, ids) : undefined;
  forgetFoundMaps();
  await sweepFiles(store, app, dropped?.get(app));
}
