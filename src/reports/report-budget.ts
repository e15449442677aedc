import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

/**
 * Anybody can post browser reports. So they have their own budget in bytes. It ends far below the point where server
 * errors would have too little room. When a report exceeds the budget, it replaces larger ones: reports of real
 * visitors are small, and a stranger who fills the budget with large ones loses those first.
 */

/** The share of `FLIGHT_DATA_LIMIT`: 512 MiB by default, which is 20,000 reports of the size that browsers send. */
export const reportsShare = 0.25;
/** While the database is crowded, retention deletes reports down to this share. */
export const reportsKeptShare = 0.05;
/**
 * Above this fill no report is taken, so that the rest of the budget stays for errors. Retention begins a little
 * earlier.
 */
export const refusedFill = 0.85;
/** What a row takes besides its texts: ids, times, and its entries in six indexes. */
export const rowBytes = 1_024;
/** One report makes room by deleting a few large ones. Retention deletes more. */
const evictedAtOnce = 20;

/** Scans one index: half a millisecond for 10 000 reports. */
export async function measureReports(db: Kysely<Tables>): Promise<number> {
  const { bytes } = await db
    .selectFrom('report')
    .select(sql<number>`coalesce(sum(bytes), 0) + count(*) * ${sql.lit(rowBytes)}`.as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

/**
 * Makes room for a report of `bytes` in the transaction that stores it.
 * @returns false when there is no room: then nothing was deleted
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
