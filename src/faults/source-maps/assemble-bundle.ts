import 'server-only';

import { findApp } from '#src/apps/apps.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { appMapsFolder } from '#src/store/maps-folder.ts';
import { openStore } from '#src/store/open-store.ts';

import { withoutMapThread } from './ask-maps.ts';
import { changeMaps } from './change-maps.ts';
import { evictMaps } from './evict-maps.ts';
import { bringChunks, dropChunks, listMissing } from './keep-chunks.ts';
import { startThread } from './start-thread.ts';
import { findBundle, type NewBundle, storeMaps } from './store-maps.ts';

/**
 * Makes maps of the chunks that were uploaded. The CLI asks with the list of chunks until it hears `ok` or `error`: first to learn
 * which chunks are missing, then to have them put together. That happens in a thread of its own, one bundle after the other, so
 * a bundle that takes long or more memory than it may have costs nobody else anything.
 */
export type Assembly =
  | { readonly state: 'not_found'; readonly missing: readonly string[] }
  | { readonly state: 'assembling' }
  | { readonly state: 'ok' }
  | { readonly state: 'error'; readonly detail: string };

export type BundleToAssemble = NewBundle & { readonly chunks: readonly string[] };

/** Unpacking half a gigabyte and packing it again takes some seconds, and several times that on a busy machine. */
const unpackDeadlineMs = 60_000;
/** The CLI asks again every second. */
const answerWithinMs = 10_000;
/** Long enough to be asked for again. */
const errorKeptMs = 60_000;

/** Of each app, the one that is put together among them: the others' bundles wait for so many at most. */
const mostOfApp = 2;

const running = new Map<string, Promise<Assembly>>();
/** How many bundles of each app wait. */
const waitingOf = new Map<string, number>();

function countWaiting(app: string, by: 1 | -1): void {
  const count = (waitingOf.get(app) ?? 0) + by;
  if (count > 0) waitingOf.set(app, count);
  else waitingOf.delete(app);
}

function keyOf({ app, release, dist, checksum }: NewBundle): string {
  return JSON.stringify([app, release, dist, checksum]);
}

async function isStored(bundle: NewBundle): Promise<boolean> {
  try {
    const { db } = await openStore();
    return (await findBundle(db, bundle)) !== undefined;
  } catch {
    return false;
  }
}

async function unpack({ app, release, dist, checksum, chunks }: BundleToAssemble): Promise<Assembly> {
  const thread = startThread();
  try {
    const store = await openStore();
    if (!store.admitsFiles()) return { state: 'error', detail: 'the disk of this server is full' };
    const files = await bringChunks(app, chunks);
    const folder = appMapsFolder(app);
    const answer = await thread.ask({ type: 'unpack', chunks: files, checksum, folder }, unpackDeadlineMs);
    if (answer.type !== 'stored') {
      const detail = answer.type === 'refused' ? answer.reason : 'it could not be read';
      writeLog('warn', 'source-maps-refused', { app, release, reason: detail });
      return { state: 'error', detail };
    }
    // The app may have been deleted meanwhile.
    if (!(await findApp(app, store))) return { state: 'error', detail: 'there is no such app any more' };
    const id = await storeMaps(store, { app, release, dist, checksum }, answer.maps);
    await evictMaps(store, { latest: id });
    if (!(await isStored({ app, release, dist, checksum }))) {
      const detail = 'it is larger than what this server keeps of source maps beside those of other apps';
      writeLog('warn', 'source-maps-refused', { app, release, reason: detail });
      return { state: 'error', detail };
    }
    writeLog('info', 'source-maps-stored', { app, release, maps: answer.maps.length, skipped: answer.skipped });
    return { state: 'ok' };
  } catch (error) {
    // Another process was faster, and has dropped the chunks.
    if (await isStored({ app, release, dist, checksum })) return { state: 'ok' };
    writeLog('error', 'source-maps-not-stored', { app, release, reason: describeError(error) });
    return { state: 'error', detail: 'the bundle could not be unpacked within the limits of this server' };
  } finally {
    await thread.end();
    await dropChunks(app, chunks).catch(() => undefined);
  }
}

/** What is stored is found in the table. Why it was not is told to whoever asks again. */
async function forgetAfter(key: string, app: string, done: Promise<Assembly>): Promise<void> {
  const { state } = await done;
  countWaiting(app, -1);
  if (state === 'ok') running.delete(key);
  else setTimeout(() => running.delete(key), errorKeptMs).unref();
}

function start(bundle: BundleToAssemble): Promise<Assembly> {
  const key = keyOf(bundle);
  const known = running.get(key);
  if (known) return known;
  // The CLI asks again in a second.
  if ((waitingOf.get(bundle.app) ?? 0) >= mostOfApp) return Promise.resolve({ state: 'assembling' });
  countWaiting(bundle.app, 1);
  const done = changeMaps(() => withoutMapThread(() => unpack(bundle)));
  running.set(key, done);
  void forgetAfter(key, bundle.app, done);
  return done;
}

function giveUpAfter(ms: number): { readonly late: Promise<Assembly>; readonly stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<Assembly>();
  const timer = setTimeout(() => resolve({ state: 'assembling' }), ms);
  return { late: promise, stop: () => clearTimeout(timer) };
}

export async function assembleBundle(bundle: BundleToAssemble): Promise<Assembly> {
  const store = await openStore();
  if ((await findBundle(store.db, bundle)) !== undefined) return { state: 'ok' };
  const missing = await listMissing(bundle.app, bundle.chunks);
  const isRunning = running.has(keyOf(bundle));
  if (missing.length > 0 && !isRunning) return { state: 'not_found', missing };
  const { late, stop } = giveUpAfter(answerWithinMs);
  try {
    return await Promise.race([start(bundle), late]);
  } finally {
    stop();
  }
}
