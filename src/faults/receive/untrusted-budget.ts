import 'server-only';

import type { Kysely } from 'kysely';

import { oncePerTurnOf } from '#src/store/once-per-turn.ts';
import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { listMiddleOfLargest, listOldest, listUntrustedBySize } from '../kept/evict-rows.ts';
import { findMost, type Held, readHeld, rowBytes, sumOf } from '../kept/measure-kept.ts';
import { deleteRows, type PickedRow } from '../kept/thin-fault.ts';

/**
 * Anybody can post browser errors. So they have their own budget in bytes. It ends far below the point where server
 * errors would have too little room. When an untrusted error exceeds the budget, the app that has most gives room: a flood with one app's
 * public key takes nothing from the others. An error of that app itself replaces larger ones alone: untrusted errors of real visitors are
 * small, and a stranger who fills the budget with large ones loses those first. The fault with the most untrusted errors gives first, and
 * first errors go last.
 */

/** The share of `FLIGHT_DATA_LIMIT`: 512 MiB by default, which is 20,000 untrusted errors of the size that browsers send. */
export const untrustedShare = 0.25;
/** While the database is crowded, retention deletes untrusted errors down to this share. */
export const untrustedKeptShare = 0.05;
/**
 * Above this fill no untrusted error is taken, so that the rest of the budget stays for errors. Retention begins a little
 * earlier.
 */
const refusedFill = 0.85;
/** One report makes room by deleting a few. Retention deletes more. */
const evictedAtOnce = 20;
/** Of the largest, among which those of one app are looked for. */
const comparedAtOnce = 200;

/** Whether events are taken now. The database file is looked at once per turn, and what one turn brings fits above. */
export const takesEvents = oncePerTurnOf((store: Store) => store.measureFill() <= refusedFill);

export async function measureUntrusted(db: Kysely<Tables>): Promise<number> {
  return sumOf(await readHeld(db, 'event-browser'), 'bytes');
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

/** The app that gives room for an error: of those that are nearly alike it is the error's own. */
function findGiver(held: readonly Held[], app: string, bytes: number): string {
  const most = findMost(held, 'bytes');
  const own = held.find((one) => one.app === app)?.bytes ?? 0;
  return most && most.bytes > own + bytes + rowBytes ? most.app : app;
}

/** What takes the place of larger ones of its app. */
function listLargerOf(trx: Kysely<Tables>, app: string) {
  const ofApp = async (which: 'later' | 'all') => {
    const rows = await listUntrustedBySize(trx, which, comparedAtOnce);
    return rows.filter((row) => row.app === app).slice(0, evictedAtOnce);
  };
  return [() => ofApp('later'), () => ofApp('all')];
}

/**
 * Makes room for an untrusted error in the transaction that stores it.
 * @returns false when there is no room: then nothing was deleted
 */
export async function makeRoomForUntrusted(
  trx: Kysely<Tables>,
  { limitBytes, measureFill }: Pick<Store, 'limitBytes' | 'measureFill'>,
  { app, bytes }: { readonly app: string; readonly bytes: number },
): Promise<boolean> {
  if (measureFill() > refusedFill) return false;
  const held = await readHeld(trx, 'event-browser');
  const over = sumOf(held, 'bytes') + bytes + rowBytes - limitBytes * untrustedShare;
  if (over <= 0) return true;
  const giver = findGiver(held, app, bytes);
  const middle = () => listMiddleOfLargest(trx, 'browser', giver, evictedAtOnce);
  const doomed =
    giver === app
      ? await findRoom([middle, ...listLargerOf(trx, app)], over, bytes)
      : await findRoom([middle, () => listOldest(trx, 'browser', evictedAtOnce, { app: giver })], over, -1);
  if (!doomed) return false;
  await deleteRows(trx, doomed);
  return true;
}
