import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import type { Age, AgeClock } from '#src/store/age-clock.ts';
import { sides } from '#src/store/event-columns.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { evictPastDigests } from '../digests/evict-past-digests.ts';
import { listErrorsToEvict, listOldest, listUntrustedToEvict } from './evict-rows.ts';
import { ageCounts } from '../grouping/age-counts.ts';
import { evictFaults } from '../grouping/evict-faults.ts';
import { selectEvents } from './select-events.ts';
import { findMost, readHeld, rowBytes, type Shares, splitHeld, sumOf } from './measure-kept.ts';
import { measureUntrusted, untrustedKeptShare, untrustedShare } from '../receive/untrusted-budget.ts';
import { deleteRows, type PickedRow } from './thin-fault.ts';
import { deleteFeedbackBeyond } from '../feedback/add-feedback.ts';

/**
 * Deletes errors and reports that are too old, too many, or take too much of `FLIGHT_DATA_LIMIT`. For room, untrusted errors go
 * first. Then errors of other apps, beyond a share that is theirs: those of the app that takes most, so
 * an app that fails all the time loses its own. The server's own errors go last. What strangers post never
 * costs an error. Within each of the three, evict-rows.ts says which go: those of the fault that has most. Deleting happens in small
 * batches with pauses between them, and no request waits for it.
 *
 * A fault that occurs often does not wait for this: while space is short its errors are thinned as they are stored
 * (thin-fault.ts). What is deleted leaves its digest, with a limit of its own: evict-past-digests.ts. So have faults and
 * their counts: faults/evict-faults.ts, faults/age-counts.ts. What people wrote goes with age;
 * add-feedback.ts bounds how much there is.
 *
 * The age clock decides how old a row is: see `src/store/age-clock.ts`.
 *
 * Outcomes are never deleted: their names come from closed lists, so there are at most a few hundred rows of each app.
 */

/** Sentry keeps errors for 90 days too. After that, hardly anybody still needs the answer. */
export const ageLimitMs = 90 * 24 * 3600 * 1000;

/**
 * Lists and search are measured with a million. Before there are as many, the bytes are used up: an error of a server is some 10 KiB
 * (stack, mapped frames with source lines), an untrusted error some 25 KiB (breadcrumbs), and at most 150 KiB whatever is sent.
 */
const rowLimits = { errors: 1_000_000, untrusted: 500_000 } as const;

/** At most 15 ms of the processor, measured with 100,000 rows of 4 kB: 110 µs for a row with its indexes and counters. */
const batchSize = 100;
/** For large rows: as many pages as 200 usual ones. */
const batchBytes = 2 * 1024 * 1024;
/** 2 000 rows a second: faster than errors can be written for long, and pages are hardly slower. */
const pauseBetweenBatchesMs = 50;
/** What a pass looks at are a few counters. */
const passEveryMs = 60_000;
/** Hours become days and users are forgotten: none of it is urgent. */
const countsAgeEveryMs = 3_600_000;
/**
 * A fifth of the budget is free when the database becomes crowded: 400 MB by default. No storm of errors writes that
 * much in half a second.
 */
const crowdCheckMs = 500;

/**
 * Two shares. The first: how full the budget is when untrusted errors are deleted. The second: the part that may be full without
 * untrusted errors when errors are deleted. Both together leave a fifth free, so new errors are stored while old ones are
 * deleted.
 */
const crowdedFill = 0.8;
const errorsFill = crowdedFill - untrustedKeptShare;
/** While the database is crowded, errors of other apps are deleted down to this share: some 30 000 of a usual size by default. */
const appErrorsKeptShare = 0.15;
/** Of the budget, for what people wrote: less than it may be only where the budget is small. A text of 4 kB takes two pages. */
const feedbackShare = 0.05;
const feedbackBytes = 10_000;
/** When only so many are left, errors are not what fills the budget, and deleting them would not help. */
const keptWhenCrowded = 100;

/** `errors`: our own, and as many again of all other apps together. */
export type RetentionLimits = { readonly errors: number; readonly untrusted: number; readonly ageMs: number };

/** The first of `rows` that make up `bytes`, but at most one batch. */
function takeBytes(rows: readonly PickedRow[], bytes: number): readonly PickedRow[] {
  const taken: PickedRow[] = [];
  let left = Math.min(bytes, batchBytes);
  for (const row of rows) {
    if (left <= 0) break;
    taken.push(row);
    left -= row.bytes + rowBytes;
  }
  return taken;
}

/** @param excess bytes that reports take beyond their share */
async function pickUntrusted(
  db: Store['db'],
  limits: RetentionLimits,
  now: number,
  excess: number,
): Promise<readonly PickedRow[]> {
  const surplus = sumOf(await readHeld(db, 'event-browser'), 'rows') - limits.untrusted;
  if (surplus > 0) return takeBytes(await listUntrustedToEvict(db, Math.min(surplus, batchSize), 'oldest'), batchBytes);
  if (excess > 0) return takeBytes(await listUntrustedToEvict(db, batchSize, 'largest'), excess);
  return takeBytes(await listOldest(db, 'browser', batchSize, { before: now - limits.ageMs }), batchBytes);
}

/** What one app has to give, in rows and in bytes. */
type Due = { readonly app: string; readonly rows: number; readonly bytes: number };

/** Chooses what is due: of our own errors as many as ever, of the others those of the app that has most. */
function chooseDue(
  { own, others }: Shares,
  limits: RetentionLimits,
  excess: number,
  keptBytes: number,
): Due | undefined {
  if (own.rows > limits.errors) return { app: ownApp, rows: own.rows - limits.errors, bytes: batchBytes };
  const surplus = sumOf(others, 'rows') - limits.errors;
  if (surplus > 0) return { app: findMost(others, 'rows')?.app ?? ownApp, rows: surplus, bytes: batchBytes };
  if (excess <= 0) return undefined;
  const beyond = sumOf(others, 'bytes') - keptBytes;
  if (beyond > 0) {
    return { app: findMost(others, 'bytes')?.app ?? ownApp, rows: batchSize, bytes: Math.min(excess, beyond) };
  }
  const spare = own.rows - keptWhenCrowded;
  return spare > 0 ? { app: ownApp, rows: spare, bytes: excess } : undefined;
}

/** @param excess bytes that errors take beyond their share */
async function pickErrors(
  { db, limitBytes }: Store,
  limits: RetentionLimits,
  now: number,
  excess: number,
): Promise<readonly PickedRow[]> {
  const due = chooseDue(splitHeld(await readHeld(db, 'event-server')), limits, excess, appErrorsKeptShare * limitBytes);
  if (due) return takeBytes(await listErrorsToEvict(db, due.app, Math.min(due.rows, batchSize)), due.bytes);
  return takeBytes(await listOldest(db, 'server', batchSize, { before: now - limits.ageMs }), batchBytes);
}

/** How many bytes each kind takes beyond its share. While untrusted errors exceed theirs, errors count as 0. */
async function measureExcess({ db, limitBytes, measureFill }: Store): Promise<{ untrusted: number; errors: number }> {
  const fill = measureFill();
  const untrustedFill = (await measureUntrusted(db)) / limitBytes;
  const untrusted = Math.max(
    untrustedFill - untrustedShare,
    Math.min(untrustedFill - untrustedKeptShare, fill - crowdedFill),
  );
  const errors = untrusted > 0 ? 0 : fill - Math.min(untrustedFill, untrustedKeptShare) - errorsFill;
  return { untrusted: untrusted * limitBytes, errors: errors * limitBytes };
}

async function deleteOldFeedback(db: Store['db'], before: number): Promise<number> {
  const old = db.selectFrom('feedback').select('id').where('received_at', '<', before).orderBy('received_at');
  const { numDeletedRows } = await db.deleteFrom('feedback').where('id', 'in', old.limit(batchSize)).executeTakeFirst();
  return Number(numDeletedRows);
}

/** One batch of the first kind that has too much. */
async function deleteRowsOrFaults(store: Store, limits: RetentionLimits, now: number): Promise<number> {
  const { db } = store;
  const excess = await measureExcess(store);
  const untrusted = await deleteRows(db, await pickUntrusted(db, limits, now, excess.untrusted));
  if (untrusted > 0) return untrusted;
  // What anybody wrote goes before an error of a server.
  const kept = Math.floor((feedbackShare * store.limitBytes) / feedbackBytes);
  const written = excess.errors > 0 ? await deleteFeedbackBeyond(db, kept, batchSize) : 0;
  if (written > 0) return written;
  const errors = await deleteRows(db, await pickErrors(store, limits, now, excess.errors));
  if (errors > 0) return errors;
  const faults = await evictFaults(store);
  return faults > 0 ? faults : deleteOldFeedback(db, now - limits.ageMs);
}

/** Each batch of errors leaves digests: they are kept within their share beside it, and not when all else is done. */
async function deleteBatch(store: Store, limits: RetentionLimits, now: number): Promise<number> {
  const past = await evictPastDigests(store);
  return past + (await deleteRowsOrFaults(store, limits, now));
}

/**
 * Deletes until the limits hold.
 * @param now by the age clock
 * @param pauseMs between two batches
 * @param mayGoOn asked before each batch
 * @returns how many rows were deleted
 */
export async function enforceRetention(
  store: Store,
  now: number,
  limits: RetentionLimits = { ...rowLimits, ageMs: ageLimitMs },
  pauseMs: number = pauseBetweenBatchesMs,
  mayGoOn: () => boolean = () => true,
): Promise<number> {
  let total = 0;
  for (;;) {
    if (!mayGoOn()) return total;
    const deleted = await deleteBatch(store, limits, now);
    if (deleted === 0) return total;
    total += deleted;
    await store.releasePages();
    // A pause does not keep the process alive: the next process deletes what this one left.
    await setTimeout(pauseMs, undefined, { ref: false });
  }
}

/**
 * Rows that are too old by the system's clock alone, and the time from which that clock is believed. Milliseconds since
 * 1970.
 */
export type RetentionWait = { readonly rows: number; readonly until: number };

let waiting: RetentionWait | undefined;

/** What is not deleted yet, for a status page. */
export function readRetentionWait(): RetentionWait | undefined {
  return waiting;
}

async function countOlder(db: Store['db'], time: number): Promise<number> {
  let older = 0;
  for (const side of sides) {
    const { count } = await selectEvents(db, side)
      .where('received_at', '<', time)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    older += count;
  }
  return older;
}

/** Writes one line when rows begin to wait. */
async function noteWait(db: Store['db'], { waitsUntil: until, wall }: Age): Promise<void> {
  const rows = until === undefined ? 0 : await countOlder(db, wall - ageLimitMs);
  const isNew = waiting === undefined;
  waiting = until === undefined || rows === 0 ? undefined : { rows, until };
  if (waiting && isNew) {
    const reason = 'the clock was set, or the server was off for long';
    writeLog('warn', 'retention-waits', { rows, until: new Date(waiting.until).toISOString(), reason });
  }
}

/**
 * One pass: deletes until the limits hold, and logs what has to wait.
 * @returns how many rows were deleted
 */
export async function runRetention(store: Store, age: Age, pauseMs?: number, mayGoOn?: () => boolean): Promise<number> {
  const deleted = await enforceRetention(store, age.now, undefined, pauseMs, mayGoOn);
  await noteWait(store.db, age);
  return deleted;
}

/**
 * Enforces retention from now on, one pass at a time. The first pass is at once, since the database may be full. Then
 * there is one every minute, and one within half a second when the database becomes crowded.
 * @param isHeld whether it is still this server that does it, where there are several
 * @returns a function that stops it: no batch begins after it
 */
export function startRetention(store: Store, readAge: AgeClock, isHeld: () => boolean = () => true): () => void {
  let running = false;
  let failed = false;
  let stopped = false;
  let deleted = 0;
  let age = readAge();
  let countsAged = Number.NEGATIVE_INFINITY;

  async function pass(isDue: () => boolean): Promise<void> {
    if (running) return;
    running = true;
    try {
      if (!isDue() || !isHeld()) return;
      deleted += await runRetention(store, age, undefined, () => !stopped && isHeld());
    } catch (error) {
      failed = true;
      // A store that was closed during a pause ends the pass too; that is not a failure.
      if (!stopped) writeLog('error', 'retention-failed', { reason: describeError(error) });
    } finally {
      running = false;
    }
  }

  /** A pass writes no line of its own within this time after another one: in a storm there are two passes a second. */
  async function passAndTell(): Promise<void> {
    failed = false;
    await pass(() => true);
    if (deleted > 0) writeLog('info', 'retention', { deleted });
    deleted = 0;
  }

  /** After a failure, the next pass and its log line wait for the next minute. */
  function passIfCrowded(): void {
    void pass(() => !failed && store.measureFill() > errorsFill);
  }

  async function ageCountsByHour(): Promise<void> {
    if (!isHeld() || performance.now() - countsAged < countsAgeEveryMs) return;
    countsAged = performance.now();
    try {
      await ageCounts(store, age.now, ageLimitMs, pauseBetweenBatchesMs);
    } catch (error) {
      if (!stopped) writeLog('error', 'retention-failed', { reason: describeError(error) });
    }
  }

  function passByMinute(): void {
    age = readAge();
    void passAndTell().then(ageCountsByHour);
  }

  const timers = [setInterval(passByMinute, passEveryMs), setInterval(passIfCrowded, crowdCheckMs)];
  for (const timer of timers) timer.unref();
  void passAndTell();
  return function stopRetention() {
    stopped = true;
    for (const timer of timers) clearInterval(timer);
  };
}
