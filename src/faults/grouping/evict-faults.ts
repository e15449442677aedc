import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import { sides } from '#src/store/event-columns.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import { findMost, readHeld, splitHeld, sumOf } from '../kept/measure-kept.ts';

/**
 * Faults, their activities and their counts stay when their errors go: they are small. But whoever can send errors can send
 * different ones, and each makes a fault. So there is a limit for the faults of this server itself, one for those of all other
 * apps together, and one for those that nobody but browsers reports. Beyond it the app with most loses those that were silent for
 * longest, of these the ones that occurred least. A fault that the operator did something with stays.
 *
 * What comes in a flood goes first: an app that puts into its messages what a stranger sent makes a fault of each. They are the newest,
 * occurred once each and have one name. What was there before is silent because it is old: it must not go for them.
 */

/** A fault with its hash, its first activity, a day of hours and their entries in the indexes, and a message of a few lines. */
const faultBytes = 4_096;
/** Of `FLIGHT_DATA_LIMIT`: 26,214 faults by default for the first two, 10,485 for the untrusted errors. Nobody reads as many. */
const shares = { own: 0.05, others: 0.05, untrusted: 0.02 } as const;
/** As many again as are deleted at once: so silence decides first, and how often it occurred second. */
const comparedFaults = 100;
const evictedAtOnce = 50;
/** Errors that one step may delete with their faults. */
const rowsAtOnce = 100;
/** While the operator had a hand in all of those that were looked at, the next are. */
const looks = 10;

/** So many new faults of an app in an hour, occurred once and of one name, are a flood: a deploy that breaks everything makes dozens. */
const floodFaults = 200;
const floodMs = 3_600_000;
/** The newest of an app: what occurs again and again is among them, and what is new besides. */
const newestLookedAt = 2 * floodFaults;

type Silent = { readonly id: string; readonly app: string; readonly total: number; readonly kept: number };

/** What the operator decided would be forgotten with the fault. */
const isUntouched = sql<boolean>`fault.merged_into is null
  and not exists (select 1 from fault_activity where fault_activity.fault = fault.id and fault_activity.by = 'operator')
  and not exists (select 1 from fault as merged where merged.merged_into = fault.id)`;

/** The untouched ones among the faults of one app that were silent for longest. */
async function listSilent(db: Kysely<Tables>, side: Side, app: string, before: number): Promise<readonly Silent[]> {
  for (let look = 0; look < looks; look += 1) {
    const { rows } = await sql<
      Silent & { isUntouched: number }
    >`select id, app, count + untrusted as total, case when ${isUntouched} then 1 else 0 end as "isUntouched",
        (select coalesce(sum(rows), 0) from kept_fault where kept_fault.fault = fault.id) as kept
      from fault where side = ${side} and app = ${app} and last_time < ${before}
      order by last_time limit ${comparedFaults} offset ${look * comparedFaults}`.execute(db);
    const untouched = rows.filter((row) => row.isUntouched === 1);
    if (untouched.length > 0 || rows.length < comparedFaults) return untouched;
  }
  return [];
}

type Newest = Silent & { readonly name: string; readonly first: number; readonly last: number };

/** The newest first; none where fewer came than a flood has. */
async function listFlood(db: Kysely<Tables>, side: Side, app: string): Promise<readonly Silent[]> {
  const { rows } =
    await sql<Newest>`select id, app, count + untrusted as total, name, first_time as first, last_time as last,
      (select coalesce(sum(rows), 0) from kept_fault where kept_fault.fault = fault.id) as kept
    from fault where side = ${side} and app = ${app} and ${isUntouched}
    order by last_time desc limit ${newestLookedAt}`.execute(db);
  const since = (rows[0]?.last ?? 0) - floodMs;
  const once = rows.filter(({ total, first }) => total === 1 && first >= since);
  const byName = [...Map.groupBy(once, ({ name }) => name).values()];
  return byName.find((faults) => faults.length >= floodFaults) ?? [];
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

/** The hashes go before the rows: an error that is deleted without one leaves no digest behind. */
async function deleteFault(trx: Kysely<Tables>, { id, app }: Silent): Promise<void> {
  const hashes = trx.selectFrom('fault_hash').select('hash').where('fault', '=', id);
  await trx.updateTable('past_origin').set({ gone: 1 }).where('app', '=', app).where('hash', 'in', hashes).execute();
  for (const table of ['fault_hour', 'fault_user', 'fault_facet'] as const) {
    await trx.deleteFrom(table).where('app', '=', app).where('hash', 'in', hashes).execute();
  }
  await trx.deleteFrom('fault_hash').where('fault', '=', id).execute();
  await trx.deleteFrom('event').where('fault', '=', id).execute();
  await trx.updateTable('feedback').set({ fault: null }).where('fault', '=', id).execute();
  await trx.deleteFrom('fault_activity').where('fault', '=', id).execute();
  // Else what its channels know of it stays for a month, and nothing makes room for it. The index begins with the channel.
  const channels = trx.selectFrom('alert_channel').select('id');
  await trx.deleteFrom('alert_sent').where('channel', 'in', channels).where('fault', '=', id).execute();
  await trx.deleteFrom('fault').where('id', '=', id).execute();
}

/**
 * Some rows of a fault that has more than one step may delete: its oldest events.
 * @returns how many; 0 when the rest can go with the fault
 */
async function deleteSurplus({ db }: Store, { id, kept }: Silent): Promise<number> {
  for (const side of kept > rowsAtOnce ? sides : []) {
    const { numAffectedRows } = await sql`delete from event where rowid in (
      select rowid from event where fault = ${id} and side = ${side} order by time limit ${rowsAtOnce})`.execute(db);
    if (numAffectedRows) return Number(numAffectedRows);
  }
  return 0;
}

async function deleteFaults(store: Store, faults: readonly Silent[]): Promise<number> {
  for (const fault of faults) {
    const deleted = await deleteSurplus(store, fault);
    if (deleted > 0) return deleted;
  }
  if (faults.length === 0) return 0;
  await store.transact(async (trx) => {
    for (const fault of faults) await deleteFault(trx, fault);
  });
  return faults.length;
}

type Crowded = { readonly side: Side; readonly app: string; readonly surplus: number };

/** @param limitBytes as many faults as the shares of it take */
async function findCrowded(db: Kysely<Tables>, limitBytes: number): Promise<Crowded | undefined> {
  const untrusted = await readHeld(db, 'fault-browser');
  const { own, others } = splitHeld(await readHeld(db, 'fault-server'));
  const surplus = (share: number, rows: number) => rows - Math.floor((share * limitBytes) / faultBytes);
  const ofUntrusted = surplus(shares.untrusted, sumOf(untrusted, 'rows'));
  if (ofUntrusted > 0) {
    return { side: 'browser', app: findMost(untrusted, 'rows')?.app ?? ownApp, surplus: ofUntrusted };
  }
  const ofOthers = surplus(shares.others, sumOf(others, 'rows'));
  if (ofOthers > 0) return { side: 'server', app: findMost(others, 'rows')?.app ?? ownApp, surplus: ofOthers };
  const ofOwn = surplus(shares.own, own.rows);
  return ofOwn > 0 ? { side: 'server', app: ownApp, surplus: ofOwn } : undefined;
}

/**
 * One step: deletes some of the faults that are too many.
 * @returns how many, or how many rows of the first that has too many for one step
 */
export async function evictFaults(store: Store): Promise<number> {
  const crowded = await findCrowded(store.db, store.limitBytes);
  if (!crowded) return 0;
  const most = Math.min(crowded.surplus, evictedAtOnce);
  const flood = await listFlood(store.db, crowded.side, crowded.app);
  if (flood.length > 0) return deleteFaults(store, takeFirst(flood, most));
  const silent = await listSilent(store.db, crowded.side, crowded.app, Number.MAX_SAFE_INTEGER);
  const rarest = silent.toSorted((a, b) => a.total - b.total).slice(0, Math.ceil(silent.length / 2));
  return deleteFaults(store, takeFirst(rarest, most));
}

/**
 * One step: deletes some faults without errors that were silent since before `before`.
 * @returns how many
 */
export async function evictForgotten(store: Store, before: number): Promise<number> {
  for (const side of sides) {
    for (const { app } of await readHeld(store.db, `fault-${side}`)) {
      const empty = (await listSilent(store.db, side, app, before)).filter(({ kept }) => kept === 0);
      const deleted = await deleteFaults(store, takeFirst(empty, evictedAtOnce));
      if (deleted > 0) return deleted;
    }
  }
  return 0;
}
