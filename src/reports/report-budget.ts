import 'server-only';

import type { Kysely } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { listMiddleOfLargest, listReportsBySize } from './evict-rows.ts';
import { readHeld, rowBytes, sumOf } from './measure-kept.ts';
import { deleteRows, type PickedRow } from './thin-fault.ts';

/**
 * Anybody can post browser reports. So they have their own budget in bytes. It ends far below the point where server
 * errors would have too little room. When a report exceeds the budget, it replaces larger ones: reports of real
 * visitors are small, and a stranger who fills the budget with large ones loses those first. Among those that are large enough, the
 * fault with the most reports gives first, and first occurrences go last.
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
/** One report makes room by deleting a few large ones. Retention deletes more. */
const evictedAtOnce = 20;

export async function measureReports(db: Kysely<Tables>): Promise<number> {
  return sumOf(await readHeld(db, 'report'), 'bytes');
}

/** Asks one source of rows after another until they make up `over` bytes; undefined when they do not. */
async function findRoom(
  sources: readonly (() => Promise<readonly PickedRow[]>)[],
  over: number,
  larger: number,
): Promise<readonly PickedRow[] | undefined> {
  const doomed = new Map<number, PickedRow>();
  let left = over;
  for (const list of sources) {
    for (const row of await list()) {
      if (doomed.size >= evictedAtOnce || row.bytes <= larger || doomed.has(row.rowid)) continue;
      doomed.set(row.rowid, row);
      left -= row.bytes + rowBytes;
      if (left <= 0) return [...doomed.values()];
    }
  }
  return undefined;
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
  const over = (await measureReports(trx)) + bytes + rowBytes - limitBytes * reportsShare;
  if (over <= 0) return true;
  const sources = [
    () => listMiddleOfLargest(trx, 'report', undefined, evictedAtOnce),
    () => listReportsBySize(trx, 'later', evictedAtOnce),
    () => listReportsBySize(trx, 'all', evictedAtOnce),
  ];
  const doomed = await findRoom(sources, over, bytes);
  if (!doomed) return false;
  await deleteRows(trx, 'report', doomed);
  return true;
}
