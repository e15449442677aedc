import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import type { Store } from '#src/store/open-store.ts';
import { isAnyDue } from '#src/store/search-tables.ts';

/**
 * Indexes for the search what no group of writes did: what was moved here from another database, scrubbed again, or completed. Each
 * group of writes indexes at its end what is due, so a write of nothing is all it takes.
 */

const checkEveryMs = 5_000;
/** A batch takes some 20 ms of the thread that serves pages: so this leaves it four fifths of its time. */
const pauseMs = 100;

/** @returns whether nothing is left */
export async function indexBacklog(store: Pick<Store, 'db' | 'commit'>, isStopped: () => boolean): Promise<boolean> {
  while (!isStopped()) {
    if (!(await isAnyDue(store.db))) return true;
    // There is no room: later there may be.
    if ((await store.commit(async () => undefined, 'untrusted')) !== 'committed') return false;
    await setTimeout(pauseMs, undefined, { ref: false });
  }
  return false;
}

/** @returns a function that stops it */
export function startIndexing(store: Pick<Store, 'db' | 'commit'>): () => void {
  let isRunning = false;
  let isStopped = false;
  let hasFailed = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      await indexBacklog(store, () => isStopped);
      hasFailed = false;
    } catch (error) {
      if (!isStopped && !hasFailed) writeLog('error', 'search-not-indexed', { reason: describeError(error) });
      hasFailed = true;
    } finally {
      isRunning = false;
    }
  }

  const timer = setInterval(() => void run(), checkEveryMs);
  timer.unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
