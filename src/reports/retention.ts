import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { writeLog } from '#src/runtime/log.ts';
import type { Store } from '#src/store/open-store.ts';

/**
 * Errors and reports do not pile up for ever: the oldest go when there are too many or they are too old. It happens in
 * small batches with pauses between them, never on the path of a request.
 *
 * Outcomes are not touched: their names are closed lists, so there are at most a few hundred rows.
 */

/** Sentry keeps errors for 90 days too. Who looks up an older digest has lost interest in the answer. */
export const ageLimitMs = 90 * 24 * 3600 * 1000;

/**
 * A row of `error` is some 10 KiB (stack, mapped frames with source lines), one of `report` some 25 KiB (breadcrumbs),
 * and at most about 100 and 150 KiB. So the database stays near half a gigabyte in use, and below 4 GiB whatever is sent.
 */
const rowLimits = { errors: 20_000, reports: 10_000 } as const;

/** About 20 ms of the event loop on the machine measured (88 µs for a row with its indexes, and the flush). */
const batchSize = 200;
/** 2 000 rows a second: faster than errors can be written for long, and the pages hardly notice. */
const pauseBetweenBatchesMs = 100;
/** Counting the rows takes a millisecond. At a thousand errors a second the surplus of a minute is 600 MB. */
const passEveryMs = 60_000;

/**
 * Whatever fills the database, an error of today is worth more than one of last month: beyond this share of
 * `FLIGHT_DATA_LIMIT` the oldest go, until so many are left. Reports are refused at 1.
 */
const crowdedFill = 0.9;
const keptWhenCrowded = 1_000;

export type RetentionLimits = { readonly errors: number; readonly reports: number; readonly ageMs: number };

async function deleteErrors(db: Store['db'], limits: RetentionLimits, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('error')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const surplus = count - limits.errors;
  const oldest = db.selectFrom('error').select('digest').orderBy('time');
  const tooOld = oldest.where('time', '<', now - limits.ageMs).limit(batchSize);
  const doomed = surplus > 0 ? oldest.limit(Math.min(surplus, batchSize)) : tooOld;
  const deleted = await db.deleteFrom('error').where('digest', 'in', doomed).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

async function deleteReports(db: Store['db'], limits: RetentionLimits, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('report')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const surplus = count - limits.reports;
  const oldest = db.selectFrom('report').select('event_id').orderBy('received_at');
  const tooOld = oldest.where('received_at', '<', now - limits.ageMs).limit(batchSize);
  const doomed = surplus > 0 ? oldest.limit(Math.min(surplus, batchSize)) : tooOld;
  const deleted = await db.deleteFrom('report').where('event_id', 'in', doomed).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

function tighten({ errors, reports, ageMs }: RetentionLimits): RetentionLimits {
  return { errors: Math.min(errors, keptWhenCrowded), reports: Math.min(reports, keptWhenCrowded), ageMs };
}

/**
 * Deletes until the limits hold.
 * @param pauseMs between two batches
 * @returns how many rows went
 */
export async function enforceRetention(
  store: Store,
  limits: RetentionLimits = { ...rowLimits, ageMs: ageLimitMs },
  pauseMs: number = pauseBetweenBatchesMs,
): Promise<number> {
  const now = Date.now();
  let total = 0;
  for (;;) {
    const current = store.measureFill() > crowdedFill ? tighten(limits) : limits;
    const deleted = (await deleteErrors(store.db, current, now)) + (await deleteReports(store.db, current, now));
    if (deleted === 0) return total;
    total += deleted;
    await store.releasePages();
    // Not held open for: what a stopping process leaves undone, the next one does.
    await setTimeout(pauseMs, undefined, { ref: false });
  }
}

/**
 * Enforces retention every minute from now on, one pass at a time.
 * @returns a function that stops it
 */
export function startRetention(store: Store): () => void {
  let running = false;
  let stopped = false;

  async function pass(): Promise<void> {
    if (running) return;
    running = true;
    try {
      const deleted = await enforceRetention(store);
      if (deleted > 0) writeLog('info', 'retention', { deleted });
    } catch (error) {
      // A store that was closed during a pause ends the pass too; that is no failure.
      if (!stopped) writeLog('error', 'retention-failed', { reason: String(error) });
    } finally {
      running = false;
    }
  }

  const timer = setInterval(pass, passEveryMs);
  timer.unref();
  return function stopRetention() {
    stopped = true;
    clearInterval(timer);
  };
}
