import { isShared } from '#src/store/lease.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

/**
 * An app that is being deleted: its row is gone, and its data is being deleted in the background (delete-app.ts). Kept in memory;
 * where several servers share the database, in its table `app_deletion`, since one of them deletes and all of them have to know.
 */
export type Deletion = {
  readonly app: string;
  /** As it was called; its id where only that is known. */
  readonly name: string;
  /** Flights that are still there. Undefined until they were counted. */
  readonly flightsLeft: number | undefined;
  /** Why it stopped. It is tried again at the next start of the server; where several share the work, after some minutes. */
  readonly problem: string | undefined;
};

const deletions = new Map<string, Deletion>();

/** Lists the deletions that run, and those that failed. */
export async function listDeletions(store?: Store): Promise<readonly Deletion[]> {
  const from = store ?? (await openStore());
  if (!isShared(from)) return [...deletions.values()];
  const rows = await from.db.selectFrom('app_deletion').selectAll().orderBy('started').orderBy('app').execute();
  return rows.map(({ app, name, flights_left: left, problem }) => ({
    app,
    name,
    flightsLeft: left ?? undefined,
    problem: problem ?? undefined,
  }));
}

/** An app that were added under this id would lose its data, or get the old one. */
export async function isBeingDeleted(app: string, store: Store, db: Store['db'] = store.db): Promise<boolean> {
  if (!isShared(store)) return deletions.has(app);
  const row = await db.selectFrom('app_deletion').select('app').where('app', '=', app).executeTakeFirst();
  return row !== undefined;
}

export async function noteDeletion(deletion: Deletion, store: Store): Promise<void> {
  const { app, flightsLeft, problem } = deletion;
  if (!isShared(store)) {
    deletions.set(app, deletion);
    return;
  }
  const values = { flights_left: flightsLeft ?? null, problem: problem ?? null };
  await store.db.updateTable('app_deletion').set(values).where('app', '=', app).execute();
}

export async function endDeletion(app: string, store: Store): Promise<void> {
  deletions.delete(app);
  if (isShared(store)) await store.db.deleteFrom('app_deletion').where('app', '=', app).execute();
}
