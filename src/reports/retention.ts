import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { sql } from 'kysely';

import { writeLog } from '#src/http/log.ts';
import type { Age, AgeClock } from '#src/store/age-clock.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { measureReports, reportsKeptShare, reportsShare, rowBytes } from './report-budget.ts';

/**
 * Deletes errors and reports that are too old, too many, or take too much of `FLIGHT_DATA_LIMIT`. For room, reports go
 * first, the largest first. Then errors of other apps, beyond a share that is theirs: the oldest of the app that takes most, so
 * an app that fails all the time loses its own. The server's own errors go last, the oldest first. What strangers post never
 * costs an error. Deleting happens in small batches with pauses between them, and no request waits for it.
 *
 * The age clock decides how old a row is: see `src/store/age-clock.ts`.
 *
 * Outcomes are never deleted: their names come from closed lists, so there are at most a few hundred rows.
 */

/** Sentry keeps errors for 90 days too. After that, hardly anybody still needs the answer. */
export const ageLimitMs = 90 * 24 * 3600 * 1000;

/**
 * A row of `error` is some 10 KiB (stack, mapped frames with source lines). A row of `report` is some 25 KiB
 * (breadcrumbs), and at most 150 KiB whatever is sent. So the database stays near half a gigabyte in use. These limits
 * bound the cost of lists and counts. The size of the file is bounded in bytes, below.
 */
const rowLimits = { errors: 20_000, reports: 10_000 } as const;

/** About 20 ms of the event loop on the machine measured (88 µs for a row with its indexes, and the flush). */
const batchSize = 200;
/** For large rows: as many pages as 400 usual ones. */
const batchBytes = 4 * 1024 * 1024;
/** 2 000 rows a second: faster than errors can be written for long, and pages are hardly slower. */
const pauseBetweenBatchesMs = 100;
/** Counting the rows takes a millisecond. */
const passEveryMs = 60_000;
/**
 * A fifth of the budget is free when the database becomes crowded: 400 MB by default. No storm of errors writes that
 * much in half a second.
 */
const crowdCheckMs = 500;

/**
 * Two shares. The first: how full the budget is when reports are deleted. The second: the part that may be full without
 * reports when errors are deleted. Both together leave a fifth free, so new errors are stored while old ones are
 * deleted.
 */
const crowdedFill = 0.8;
const errorsFill = crowdedFill - reportsKeptShare;
/** While the database is crowded, errors of other apps are deleted down to this share: some 30 000 of a usual size by default. */
const appErrorsKeptShare = 0.15;
/** When only so many are left, errors are not what fills the budget, and deleting them would not help. */
const keptWhenCrowded = 100;

/** `errors`: our own, and as many again of all other apps together. */
export type RetentionLimits = { readonly errors: number; readonly reports: number; readonly ageMs: number };

type Row = { readonly id: string; readonly bytes: number };

/** The first of `rows` that make up `bytes`, but at most one batch. */
function takeBytes(rows: readonly Row[], bytes: number): string[] {
  const taken: string[] = [];
  let left = Math.min(bytes, batchBytes);
  for (const row of rows) {
    if (left <= 0) break;
    taken.push(row.id);
    left -= row.bytes + rowBytes;
  }
  return taken;
}

async function countReports(db: Store['db']): Promise<number> {
  const { count } = await db
    .selectFrom('report')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** @param excess bytes that reports take beyond their share */
async function pickReports(db: Store['db'], limits: RetentionLimits, now: number, excess: number): Promise<string[]> {
  const rows = db.selectFrom('report').select(['event_id as id', 'bytes']).limit(batchSize);
  const surplus = (await countReports(db)) - limits.reports;
  const oldest = rows.orderBy('received_at');
  if (surplus > 0) return takeBytes(await oldest.limit(Math.min(surplus, batchSize)).execute(), batchBytes);
  if (excess > 0) return takeBytes(await rows.orderBy('bytes', 'desc').execute(), excess);
  return takeBytes(await oldest.where('received_at', '<', now - limits.ageMs).execute(), batchBytes);
}

type Held = { readonly app: string; readonly count: number; readonly bytes: number };

/** What each app's errors take. Scans one index: some milliseconds for 40 000 errors. */
async function measureErrors(db: Store['db']): Promise<Held[]> {
  return db
    .selectFrom('error')
    .select([
      'app',
      sql<number>`count(*)`.as('count'),
      sql<number>`sum(bytes) + count(*) * ${sql.lit(rowBytes)}`.as('bytes'),
    ])
    .groupBy('app')
    .execute();
}

function sumOf(held: readonly Held[], key: 'count' | 'bytes'): number {
  return held.reduce((sum, one) => sum + one[key], 0);
}

/** What one app has to give, in rows and in bytes. */
type Due = { readonly app: string; readonly rows: number; readonly bytes: number };

/** Of our own errors as many as ever; of the others the app gives that has most. */
function chooseDue(held: readonly Held[], limits: RetentionLimits, excess: number, keptBytes: number): Due | undefined {
  const own = held.find(({ app }) => app === ownApp)?.count ?? 0;
  const others = held.filter(({ app }) => app !== ownApp);
  function most(key: 'count' | 'bytes'): string {
    return others.toSorted((a, b) => b[key] - a[key])[0]?.app ?? ownApp;
  }
  if (own > limits.errors) return { app: ownApp, rows: own - limits.errors, bytes: batchBytes };
  const surplus = sumOf(others, 'count') - limits.errors;
  if (surplus > 0) return { app: most('count'), rows: surplus, bytes: batchBytes };
  if (excess <= 0) return undefined;
  const beyond = sumOf(others, 'bytes') - keptBytes;
  if (beyond > 0) return { app: most('bytes'), rows: batchSize, bytes: Math.min(excess, beyond) };
  const spare = own - keptWhenCrowded;
  return spare > 0 ? { app: ownApp, rows: spare, bytes: excess } : undefined;
}

/** @param excess bytes that errors take beyond their share */
async function pickErrors(store: Store, limits: RetentionLimits, now: number, excess: number): Promise<string[]> {
  const { db, limitBytes } = store;
  const due = chooseDue(await measureErrors(db), limits, excess, appErrorsKeptShare * limitBytes);
  const oldest = db.selectFrom('error').select(['id', 'bytes']).orderBy('time');
  if (due) {
    const rows = Math.min(due.rows, batchSize);
    return takeBytes(await oldest.where('app', '=', due.app).limit(rows).execute(), due.bytes);
  }
  return takeBytes(
    await oldest
      .where('time', '<', now - limits.ageMs)
      .limit(batchSize)
      .execute(),
    batchBytes,
  );
}

/** How many bytes each kind takes beyond its share. While reports exceed theirs, errors count as 0. */
async function measureExcess({ db, limitBytes, measureFill }: Store): Promise<{ reports: number; errors: number }> {
  const fill = measureFill();
  const reportsFill = (await measureReports(db)) / limitBytes;
  const reports = Math.max(reportsFill - reportsShare, Math.min(reportsFill - reportsKeptShare, fill - crowdedFill));
  const errors = reports > 0 ? 0 : fill - Math.min(reportsFill, reportsKeptShare) - errorsFill;
  return { reports: reports * limitBytes, errors: errors * limitBytes };
}

async function deleteBatch(store: Store, limits: RetentionLimits, now: number): Promise<number> {
  const { db } = store;
  const excess = await measureExcess(store);
  const reports = await pickReports(db, limits, now, excess.reports);
  if (reports.length > 0) await db.deleteFrom('report').where('event_id', 'in', reports).execute();
  const errors = await pickErrors(store, limits, now, excess.errors);
  if (errors.length > 0) await db.deleteFrom('error').where('id', 'in', errors).execute();
  return reports.length + errors.length;
}

/**
 * Deletes until the limits hold.
 * @param now by the age clock
 * @param pauseMs between two batches
 * @returns how many rows were deleted
 */
export async function enforceRetention(
  store: Store,
  now: number,
  limits: RetentionLimits = { ...rowLimits, ageMs: ageLimitMs },
  pauseMs: number = pauseBetweenBatchesMs,
): Promise<number> {
  let total = 0;
  for (;;) {
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
  const { errors, reports } = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('error')
        .where('time', '<', time)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('errors'),
      selectFrom('report')
        .where('received_at', '<', time)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('reports'),
    ])
    .executeTakeFirstOrThrow();
  return (errors ?? 0) + (reports ?? 0);
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
export async function runRetention(store: Store, age: Age, pauseMs?: number): Promise<number> {
  const deleted = await enforceRetention(store, age.now, undefined, pauseMs);
  await noteWait(store.db, age);
  return deleted;
}

/**
 * Enforces retention from now on, one pass at a time. The first pass is at once, since the database may be full. Then
 * there is one every minute, and one within half a second when the database becomes crowded.
 * @returns a function that stops it
 */
export function startRetention(store: Store, readAge: AgeClock): () => void {
  let running = false;
  let failed = false;
  let stopped = false;
  let deleted = 0;
  let age = readAge();

  async function pass(isDue: () => boolean): Promise<void> {
    if (running) return;
    running = true;
    try {
      if (!isDue()) return;
      deleted += await runRetention(store, age);
    } catch (error) {
      failed = true;
      // A store that was closed during a pause ends the pass too; that is not a failure.
      if (!stopped) writeLog('error', 'retention-failed', { reason: String(error) });
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

  function passByMinute(): void {
    age = readAge();
    void passAndTell();
  }

  const timers = [setInterval(passByMinute, passEveryMs), setInterval(passIfCrowded, crowdCheckMs)];
  for (const timer of timers) timer.unref();
  void passAndTell();
  return function stopRetention() {
    stopped = true;
    for (const timer of timers) clearInterval(timer);
  };
}
