import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { Tables } from '#src/store/schema.ts';

import { findMost, readHeld, splitHeld, sumOf } from '../measure-kept.ts';

/**
 * Faults, their turns and their counts stay when their occurrences go: they are small. But whoever can send errors can send
 * different ones, and each makes a fault. So there is a limit for the faults of this server itself, one for those of all other
 * apps together, and one for those that nobody but browsers claims. Beyond it the app with most loses those that were silent for
 * longest, of these the ones that occurred least. A fault that the operator did something with stays.
 */

/** A fault with its hash, its first turn, a day of hours and their entries in the indexes, and a message of a few lines. */
const faultBytes = 4_096;
/** Of `FLIGHT_DATA_LIMIT`: 26,214 faults by default for the first two, 10,485 for the claims. Nobody reads as many. */
const shares = { own: 0.05, others: 0.05, claims: 0.02 } as const;
/** As many again as are deleted at once: so silence decides first, and how often it occurred second. */
const comparedFaults = 100;
const evictedAtOnce = 50;
/** Occurrences that one step may delete with their faults. */
const rowsAtOnce = 100;
/** While the operator had a hand in all of those that were looked at, the next are. */
const looks = 10;

type Side = 'server' | 'browser';
type Silent = { readonly id: string; readonly app: string; readonly total: number; readonly kept: number };

/** What the operator decided would be forgotten with the fault. */
const isUntouched = sql<boolean>`fault.merged_into is null
  and not exists (select 1 from fault_turn where fault_turn.fault = fault.id and fault_turn.by = 'operator')
  and not exists (select 1 from fault as merged where merged.merged_into = fault.id)`;

/** The untouched ones among the faults of one app that were silent for longest. */
async function listSilent(db: Kysely<Tables>, side: Side, app: string, before: number): Promise<readonly Silent[]> {
  for (let look = 0; look < looks; look += 1) {
    const { rows } = await sql<
      Silent & { isUntouched: number }
    >`select id, app, count + claims as total, case when ${isUntouched} then 1 else 0 end as "isUntouched",
        (select coalesce(sum(rows), 0) from kept_fault where side in ('error', 'report') and kept_fault.fault = fault.id) as kept
      from fault where side = ${side} and app = ${app} and last_time < ${before}
      order by last_time limit ${comparedFaults} offset ${look * comparedFaults}`.execute(db);
    const untouched = rows.filter((row) => row.isUntouched === 1);
    if (untouched.length > 0 || rows.length < comparedFaults) return untouched;
  }
  return [];
}

/** The first of `faults`, as many as go in one step. */
function takeFirst(faults: readonly Silent[], limit: number): readonly Silent[] {
  const taken: Silent[] = [];
  let rows = 0;
  for (const fault of faults) {
    if (taken.length >= limit || (taken.length > 0 && rows + fault.kept > rowsAtOnce)) break;
    taken.push(fault);
    rows += fault.kept;
  }
  return taken;
}

/** @returns how many of its users are left */
async function deleteFault(trx: Kysely<Tables>, { id, app }: Silent): Promise<void> {
  const hashes = trx.selectFrom('fault_hash').select('hash').where('fault', '=', id);
  await trx.deleteFrom('error').where('fault', '=', id).execute();
  await trx.deleteFrom('report').where('fault', '=', id).execute();
  await trx.deleteFrom('fault_hour').where('app', '=', app).where('hash', 'in', hashes).execute();
  await trx.deleteFrom('fault_user').where('app', '=', app).where('hash', 'in', hashes).execute();
  await trx.updateTable('feedback').set({ fault: null }).where('fault', '=', id).execute();
  await trx.deleteFrom('fault_turn').where('fault', '=', id).execute();
  await trx.deleteFrom('fault_hash').where('fault', '=', id).execute();
  await trx.deleteFrom('fault').where('id', '=', id).execute();
}

async function deleteFaults(store: Store, faults: readonly Silent[]): Promise<number> {
  if (faults.length === 0) return 0;
  await store.transact(async (trx) => {
    for (const fault of faults) await deleteFault(trx, fault);
  });
  return faults.length;
}

type Crowded = { readonly side: Side; readonly app: string; readonly surplus: number };

/** @param limitBytes as many faults as the shares of it take */
async function findCrowded(db: Kysely<Tables>, limitBytes: number): Promise<Crowded | undefined> {
  const claims = await readHeld(db, 'fault-browser');
  const { own, others } = splitHeld(await readHeld(db, 'fault-server'));
  const surplus = (share: number, rows: number) => rows - Math.floor((share * limitBytes) / faultBytes);
  const ofClaims = surplus(shares.claims, sumOf(claims, 'rows'));
  if (ofClaims > 0) return { side: 'browser', app: findMost(claims, 'rows')?.app ?? ownApp, surplus: ofClaims };
  const ofOthers = surplus(shares.others, sumOf(others, 'rows'));
  if (ofOthers > 0) return { side: 'server', app: findMost(others, 'rows')?.app ?? ownApp, surplus: ofOthers };
  const ofOwn = surplus(shares.own, own.rows);
  return ofOwn > 0 ? { side: 'server', app: ownApp, surplus: ofOwn } : undefined;
}

/**
 * One step: deletes some of the faults that are too many.
 * @returns how many
 */
export async function evictFaults(store: Store): Promise<number> {
  const crowded = await findCrowded(store.db, store.limitBytes);
  if (!crowded) return 0;
  const silent = await listSilent(store.db, crowded.side, crowded.app, Number.MAX_SAFE_INTEGER);
  const rarest = silent.toSorted((a, b) => a.total - b.total).slice(0, Math.ceil(silent.length / 2));
  return deleteFaults(store, takeFirst(rarest, Math.min(crowded.surplus, evictedAtOnce)));
}

/**
 * One step: deletes some faults without occurrences that were silent since before `before`.
 * @returns how many
 */
export async function evictForgotten(store: Store, before: number): Promise<number> {
  for (const side of ['server', 'browser'] as const) {
    for (const { app } of await readHeld(store.db, `fault-${side}`)) {
      const empty = (await listSilent(store.db, side, app, before)).filter(({ kept }) => kept === 0);
      const deleted = await deleteFaults(store, takeFirst(empty, evictedAtOnce));
      if (deleted > 0) return deleted;
    }
  }
  return 0;
}
