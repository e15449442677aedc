import { sql, type Transaction } from 'kysely';
import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { dialectOf } from '#src/store/dialect.ts';
import { appMapsFolder } from '#src/store/maps-folder.ts';
import { isShared } from '#src/store/lease.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import { sweepPastDigests } from '#src/store/past-digests.ts';
import type { Tables } from '#src/store/schema.ts';

import { findApp, forgetApps } from './apps.ts';
import { endDeletion, noteDeletion, type Deletion } from './deletions.ts';

/**
 * Deletes an app with all that is stored of it. Its row and the counts of what was refused or not kept go first, in one transaction: from
 * then on its senders are refused. The rest is deleted in the background, a slice at a time, because there may be a hundred thousand
 * flights. A process that ends before leaves data of an app without a row; the next start goes on with it.
 *
 * Whoever calls brings the way to delete flights: they are in the recorder's file, which only its writer changes.
 *
 * Where several servers share the database, whoever is asked only writes down that the app is to be deleted. The server that holds
 * the lease deletes it (start-deletions.ts), and another one goes on when that one ends.
 */
export type DeleteFlights = (app: string, onProgress: (left: number) => void, signal: AbortSignal) => Promise<void>;

/** A server that is alone ends in the middle of a deletion, and its next start goes on. */
const neverStopped = new AbortController().signal;

/** Rows in one transaction: some milliseconds, with their indexes and the zeros over what was there. */
const rowsAtOnce = 200;

/**
 * Faults last, after the flights: a process that ends in between leaves one that names what is left. Their hashes go first: an error
 * that is deleted without one leaves no digest behind.
 */
const tables = [
  'fault_hash',
  'event',
  'feedback',
  'fault_hour',
  'fault_user',
  'app_release',
  'outcome',
  'map_file',
  'map_bundle',
] as const;

/** Where a database that is not shared has the folder of the app's maps. */
const contentTables = ['map_content', 'map_chunk'] as const;

type DeletedTable = (typeof tables | typeof contentTables)[number];

async function deleteRows({ db }: Store, table: DeletedTable, app: string, signal: AbortSignal): Promise<void> {
  // Some of these tables have keys of several columns.
  const place = dialectOf(db).rowPlace;
  for (let changed = 1n; changed > 0n;) {
    signal.throwIfAborted();
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where(place, 'in', db.selectFrom(table).select(place.as('place')).where('app', '=', app).limit(rowsAtOnce))
      .executeTakeFirst();
    changed = numDeletedRows;
    // The database answers on this thread: without a pause no request would be served until all rows are gone.
    await nextTurn();
  }
}

/** A table without rowids: by its key. */
async function deleteFacets({ db }: Store, app: string, signal: AbortSignal): Promise<void> {
  for (let deleted = 1n; deleted > 0n;) {
    signal.throwIfAborted();
    const { numAffectedRows = 0n } = await sql`delete from fault_facet where (app, hash, name, value) in (
      select app, hash, name, value from fault_facet where app = ${app} limit ${rowsAtOnce})`.execute(db);
    deleted = numAffectedRows;
    await nextTurn();
  }
}

async function deletePast({ db }: Store, app: string, signal: AbortSignal): Promise<void> {
  await db.updateTable('past_origin').set({ gone: 1 }).where('app', '=', app).execute();
  while (await sweepPastDigests(db)) {
    signal.throwIfAborted();
    await nextTurn();
  }
}

/** Deletes the app's faults with what happened to them, which no index finds by the app. */
async function deleteFaults({ db, transact }: Store, app: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const faults = await db.selectFrom('fault').select('id').where('app', '=', app).limit(rowsAtOnce).execute();
    if (faults.length === 0) return;
    const ids = faults.map(({ id }) => id);
    await transact(async (trx) => {
      await trx.deleteFrom('fault_activity').where('fault', 'in', ids).execute();
      await trx.deleteFrom('fault').where('id', 'in', ids).execute();
    });
  }
}

async function deleteData(
  store: Store,
  { app, name }: Deletion,
  deleteFlights: DeleteFlights,
  signal: AbortSignal,
): Promise<void> {
  const contents = dialectOf(store.db).isRemote ? contentTables : [];
  for (const table of [...tables, ...contents]) await deleteRows(store, table, app, signal);
  await deleteFacets(store, app, signal);
  await deletePast(store, app, signal);
  await rm(appMapsFolder(app), { recursive: true, force: true });
  let noting: Promise<void> | undefined;
  function note(flightsLeft: number): void {
    noting = noteDeletion({ app, name, flightsLeft, problem: undefined }, store);
  }
  await deleteFlights(app, note, signal);
  await noting;
  await deleteFaults(store, app, signal);
}

/** Never throws: nobody waits for it. When `signal` says so, it ends after the slice that is being deleted. */
export async function runDeletion(
  store: Store,
  deletion: Deletion,
  deleteFlights: DeleteFlights,
  signal: AbortSignal,
): Promise<void> {
  const { app } = deletion;
  try {
    await noteDeletion(deletion, store);
    await deleteData(store, deletion, deleteFlights, signal);
    await endDeletion(app, store);
    writeLog('info', 'app-deleted', { app });
  } catch (error) {
    // Whoever is next goes on: that is no problem to show.
    if (signal.aborted) return;
    const problem = describeError(error);
    writeLog('error', 'app-not-deleted', { app, reason: problem });
    await noteDeletion({ ...deletion, problem }, store).catch(() => undefined);
  }
}

export async function writeDown(trx: Transaction<Tables>, app: string, name: string): Promise<void> {
  await trx
    .insertInto('app_deletion')
    .values({ app, name, started: Date.now(), flights_left: null, problem: null })
    .onConflict((conflict) => conflict.column('app').doNothing())
    .execute();
}

/**
 * @returns false when there is no such app; else the app is gone
 * @param onRunning called with the promise that resolves when its data is deleted
 */
export async function deleteApp(
  id: string,
  deleteFlights: DeleteFlights,
  onRunning: (done: Promise<void>) => void = () => {},
): Promise<boolean> {
  const store = await openStore();
  const app = await findApp(id, store);
  if (!app) return false;
  await store.transact(async (trx) => {
    await trx.deleteFrom('app').where('id', '=', id).execute();
    await trx.deleteFrom('refusal').where('app', '=', id).execute();
    await trx.deleteFrom('outcome').where('app', '=', id).execute();
    await trx.deleteFrom('record_all').where('app', '=', id).execute();
    // Another app may get this id one day.
    await trx
      .deleteFrom('api_token')
      .where('allows', '=', 'upload')
      .where('apps_json', '=', JSON.stringify([id]))
      .execute();
    // They say what happened in the app.
    await trx.deleteFrom('alert_delivery').where('app', '=', id).execute();
    const faults = trx.selectFrom('fault').select('id').where('app', '=', id);
    await trx.deleteFrom('alert_sent').where('fault', 'in', faults).execute();
    if (isShared(store)) await writeDown(trx, id, app.name);
  });
  forgetApps();
  if (isShared(store)) return true;
  const deletion = { app: id, name: app.name, flightsLeft: undefined, problem: undefined };
  onRunning(runDeletion(store, deletion, deleteFlights, neverStopped));
  return true;
}

export async function listStoredApps({ db }: Store): Promise<readonly string[]> {
  const found = await Promise.all(
    (['event', 'fault', 'map_bundle'] as const).map((table) => db.selectFrom(table).select('app').distinct().execute()),
  );
  return found.flat().map(({ app }) => app);
}

/** Deletes what belongs to no app. Called at the start, before anything else can add an app. */
export async function finishDeletions(recorded: readonly string[], deleteFlights: DeleteFlights): Promise<void> {
  const store = await openStore();
  const found = new Set([...recorded, ...(await listStoredApps(store))]);
  // Another process may have added an app meanwhile: its row was there before anything of it was stored.
  forgetApps();
  for (const app of found) {
    if (app === ownApp || (await findApp(app, store))) continue;
    const deletion = { app, name: app, flightsLeft: undefined, problem: undefined };
    void runDeletion(store, deletion, deleteFlights, neverStopped);
  }
}
