import { sql } from 'kysely';
import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { appMapsFolder } from '#src/store/maps-folder.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { findApp, forgetApps } from './apps.ts';
import { endDeletion, noteDeletion, type Deletion } from './deletions.ts';

/**
 * Deletes an app with all that is stored of it. Its row and the counts of what was refused or not kept go first, in one transaction: from then on its
 * senders are refused. The rest is deleted in the background, a slice at a time, because there may be a hundred thousand
 * flights. A process that ends before leaves data of an app without a row; the next start goes on with it.
 *
 * Whoever calls brings the way to delete flights: they are in the recorder's file, which only its writer changes.
 */
export type DeleteFlights = (app: string, onProgress: (left: number) => void) => Promise<void>;

/** Rows in one transaction: some milliseconds, with their indexes and the zeros over what was there. */
const rowsAtOnce = 200;

/** Faults last: a process that ends in between leaves one that names what is left. */
const tables = [
  'error',
  'report',
  'feedback',
  'fault_hour',
  'fault_user',
  'fault_hash',
  'app_release',
  'outcome',
  'map_file',
  'map_bundle',
] as const;

/** Some of these tables have keys of several columns. SQLite numbers the rows of all of them. */
const rowid = sql<number>`rowid`;

async function deleteRows({ db }: Store, table: (typeof tables)[number], app: string): Promise<void> {
  for (let changed = 1n; changed > 0n;) {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where(rowid, 'in', db.selectFrom(table).select(rowid.as('rowid')).where('app', '=', app).limit(rowsAtOnce))
      .executeTakeFirst();
    changed = numDeletedRows;
    // The database answers on this thread: without a pause no request would be served until all rows are gone.
    await nextTurn();
  }
}

/** With what happened to them, which no index finds by the app. */
async function deleteFaults({ db, transact }: Store, app: string): Promise<void> {
  for (;;) {
    const faults = await db.selectFrom('fault').select('id').where('app', '=', app).limit(rowsAtOnce).execute();
    if (faults.length === 0) return;
    const ids = faults.map(({ id }) => id);
    await transact(async (trx) => {
      await trx.deleteFrom('fault_turn').where('fault', 'in', ids).execute();
      await trx.deleteFrom('fault').where('id', 'in', ids).execute();
    });
  }
}

async function deleteData(store: Store, { app, name }: Deletion, deleteFlights: DeleteFlights): Promise<void> {
  for (const table of tables) await deleteRows(store, table, app);
  await deleteFaults(store, app);
  await rm(appMapsFolder(app), { recursive: true, force: true });
  await deleteFlights(app, (flightsLeft) => noteDeletion({ app, name, flightsLeft, problem: undefined }));
}

/** Never throws: nobody waits for it. */
async function run(store: Store, deletion: Deletion, deleteFlights: DeleteFlights): Promise<void> {
  const { app } = deletion;
  noteDeletion(deletion);
  try {
    await deleteData(store, deletion, deleteFlights);
    endDeletion(app);
    writeLog('info', 'app-deleted', { app });
  } catch (error) {
    const problem = describeError(error);
    noteDeletion({ ...deletion, problem });
    writeLog('error', 'app-not-deleted', { app, reason: problem });
  }
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
    // They say what happened in the app.
    await trx.deleteFrom('alert_delivery').where('app', '=', id).execute();
    const faults = trx.selectFrom('fault').select('id').where('app', '=', id);
    await trx.deleteFrom('alert_told').where('fault', 'in', faults).execute();
  });
  forgetApps();
  onRunning(run(store, { app: id, name: app.name, flightsLeft: undefined, problem: undefined }, deleteFlights));
  return true;
}

async function listStoredApps({ db }: Store): Promise<readonly string[]> {
  const found = await Promise.all(
    (['error', 'report', 'fault', 'map_bundle'] as const).map((table) =>
      db.selectFrom(table).select('app').distinct().execute(),
    ),
  );
  return found.flat().map(({ app }) => app);
}

/** Deletes what belongs to no app. Called at the start, before anything else can add an app. */
export async function finishDeletions(recorded: readonly string[], deleteFlights: DeleteFlights): Promise<void> {
  const store = await openStore();
  const found = new Set([...recorded, ...(await listStoredApps(store))]);
  for (const app of found) {
    if (app === ownApp || (await findApp(app, store))) continue;
    void run(store, { app, name: app, flightsLeft: undefined, problem: undefined }, deleteFlights);
  }
}
