import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

/**
 * What browsers report is what anybody posts. It has a budget of its own, in bytes, far below the point where an error of
 * the server's would feel it. A report beyond it takes the place of larger ones: those of real visitors are small, and
 * a stranger who fills the budget with large ones loses these first.
 */

/** Of `FLIGHT_DATA_LIMIT`: 512 MiB by default, 20,000 reports as browsers send them. */
export const reportsShare = 0.25;
/** While the database is crowded, retention takes reports down to this. */
export const reportsKeptShare = 0.05;
/** No report is taken beyond it, so that the rest of the budget is the errors'. Retention begins a little before. */
const refusedFill = 0.85;
/** What a row takes besides its texts: ids, times, and its places in six indexes. */
export const rowBytes = 1_024;
/** One report makes room with a few large ones; more is left to retention. */
const evictedAtOnce = 20;

/** A scan of one index: half a millisecond for 10 000 reports. */
export async function measureReports(db: Kysely<Tables>): Promise<number> {
  const { bytes } = await db
    .selectFrom('report')
    .select(sql<number>`coalesce(sum(bytes), 0) + count(*) * ${sql.lit(rowBytes)}`.as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

/**
 * Makes room for a report of `bytes` in the transaction that stores it.
 * @returns false when there is none: then nothing was deleted
 */
export async function makeRoomForReport(
  trx: Kysely<Tables>,
  { limitBytes, measureFill }: Pick<Store, 'limitBytes' | 'measureFill'>,
  bytes: number,
): Promise<boolean> {
  if (measureFill() > refusedFill) return false;
  let over = (await measureReports(trx)) + bytes + rowBytes - limitBytes * reportsShare;
  if (over <= 0) return true;
  const larger = trx.selectFrom('report').select(['event_id', 'bytes']).where('bytes', '>', bytes);
  const doomed: string[] = [];
  for (const row of await larger.orderBy('bytes', 'desc').limit(evictedAtOnce).execute()) {
    if (over <= 0) break;
    doomed.push(row.event_id);
    over -= row.bytes + rowBytes;
  }
  if (over > 0) return false;
  await trx.deleteFrom('report').where('event_id', 'in', doomed).execute();
  return true;
}
