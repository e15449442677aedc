import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { subscribeNotifications } from '#src/store/notifications.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { listStoredApps, runDeletion, writeDown, type DeleteFlights } from './delete-app.ts';
import { listDeletions } from './deletions.ts';

/** A database that was away for a moment is back by then. What fails for good is one line in the log each time. */
const usualRetryMs = 5 * 60_000;

/** Notes what is left to be deleted. In the transaction that says so, no other server adds an app of this name. */
async function writeDownLeft(store: Store, recorded: readonly string[], signal: AbortSignal): Promise<void> {
  for (const id of new Set([...recorded, ...(await listStoredApps(store))])) {
    signal.throwIfAborted();
    if (id === ownApp) continue;
    await store.transact(async (trx) => {
      const app = await trx.selectFrom('app').select('id').where('id', '=', id).executeTakeFirst();
      if (!app) await writeDown(trx, id, id);
    });
  }
}

/**
 * Deletes what was written down, from now on, one app after the other. What failed is tried again after a while, and by the next
 * server that begins with this.
 * @returns what ends it after the slice that is being deleted: whoever stops it has more to end than this
 */
export function startDeletions(
  store: Store,
  listRecorded: () => Promise<readonly string[]>,
  deleteFlights: DeleteFlights,
  retryMs: number = usualRetryMs,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isAskedAgain = false;
  let isLeftListed = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  const failed = new Set<string>();

  async function deleteNext(): Promise<boolean> {
    const next = (await listDeletions(store)).find(({ app }) => !failed.has(app));
    if (!next || signal.aborted) return false;
    // Until it is known that it did not.
    failed.add(next.app);
    await runDeletion(store, { ...next, problem: undefined }, deleteFlights, signal);
    // It may be added and deleted again.
    if (!(await listDeletions(store)).some(({ app }) => app === next.app)) failed.delete(next.app);
    return true;
  }

  async function runAll(): Promise<void> {
    try {
      if (!isLeftListed) await writeDownLeft(store, await listRecorded(), signal);
      isLeftListed = true;
      do {
        isAskedAgain = false;
        while (await deleteNext());
      } while (isAskedAgain);
      if (failed.size > 0) tryLater();
    } catch (error) {
      if (signal.aborted) return;
      writeLog('error', 'apps-not-deleted', { reason: describeError(error) });
      tryLater();
    } finally {
      running = undefined;
    }
  }

  function begin(): void {
    isAskedAgain = true;
    if (!signal.aborted) running ??= runAll();
  }

  function tryLater(): void {
    if (signal.aborted) return;
    clearTimeout(retry);
    retry = setTimeout(() => {
      failed.clear();
      begin();
    }, retryMs).unref();
  }

  const unsubscribe = subscribeNotifications(store, 'apps', begin);
  begin();
  return async function stopDeletions() {
    stopping.abort();
    clearTimeout(retry);
    unsubscribe();
    await running;
  };
}
