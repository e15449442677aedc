import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { sql } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import type { Store } from '#src/store/open-store.ts';

import { evictForgotten } from './evict-faults.ts';
import { hourMs } from './hours.ts';

/**
 * What is counted of faults stays for good, and becomes coarser with age, once an hour, in small steps with pauses:
 *
 * - after 30 days, the hours of a day become one row, under the day's first hour (UTC). So a fault that occurs every hour takes
 *   720 rows and one for each day;
 * - who had a fault is only needed to count a user once. It goes with the errors: 90 days after the last one. It also goes,
 *   the oldest first, when there are too many; somebody who comes back is then counted again;
 * - a fault without errors is deleted a year after the last one, unless the operator did something with it.
 */
const finelyCountedMs = 30 * 24 * hourMs;
const forgottenMs = 365 * 24 * hourMs;
const rowsAtOnce = 500;
/** A user of a fault, with its entry in the index. */
const userBytes = 128;
/** 419,430 by default. */
const usersShare = 0.025;

/** @returns how many rows became part of another */
async function joinHours({ db, transact }: Store, before: number): Promise<number> {
  const { rows } = await sql<{ rowid: number }>`select rowid from fault_hour
    where hour % 86400000 <> 0 and hour < ${before} limit ${rowsAtOnce}`.execute(db);
  if (rows.length === 0) return 0;
  const chosen = dialectOf(db).isOneOf(
    sql.ref('rowid'),
    rows.map(({ rowid }) => rowid),
  );
  await transact(async (trx) => {
    await sql`insert into fault_hour (app, hash, hour, count, untrusted)
      select app, hash, hour - hour % 86400000, sum(count), sum(untrusted) from fault_hour where ${chosen} group by 1, 2, 3
      on conflict (app, hash, hour) do update set
        count = fault_hour.count + excluded.count, untrusted = fault_hour.untrusted + excluded.untrusted`.execute(trx);
    await sql`delete from fault_hour where ${chosen}`.execute(trx);
  });
  return rows.length;
}

/** Looks at the faults after `cursor`. @returns the last of them, or undefined after the last of all */
async function dropSilentUsers({ db }: Store, before: number, cursor: number): Promise<number | undefined> {
  const { rows } = await sql<{
    rowid: number;
    isSilent: number;
  }>`select rowid, case when users > 0 and last_time < ${before} then 1 else 0 end as "isSilent"
    from fault where rowid > ${cursor} order by rowid limit ${rowsAtOnce}`.execute(db);
  const silent = rows.filter(({ isSilent }) => isSilent === 1).map(({ rowid }) => rowid);
  const { numAffectedRows } = await sql`delete from fault_user where rowid in (
    select fault_user.rowid from fault
      join fault_hash on fault_hash.fault = fault.id
      join fault_user on fault_user.app = fault_hash.app and fault_user.hash = fault_hash.hash
    where ${dialectOf(db).isOneOf(sql.ref('fault.rowid'), silent)}
    limit ${rowsAtOnce})`.execute(db);
  // There may be more of the same faults.
  return Number(numAffectedRows ?? 0) === rowsAtOnce ? cursor : rows.at(-1)?.rowid;
}

/** @returns how many rows were deleted */
async function dropSurplusUsers({ db, limitBytes }: Store): Promise<number> {
  const { count } = await db
    .selectFrom('fault_user')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const surplus = Math.min(rowsAtOnce, count - Math.floor((usersShare * limitBytes) / userBytes));
  if (surplus <= 0) return 0;
  await sql`delete from fault_user where rowid in (select rowid from fault_user order by rowid limit ${surplus})`.execute(
    db,
  );
  return surplus;
}

/** Does not keep the process alive. */
async function pause(ms: number): Promise<void> {
  await setTimeout(ms, undefined, { ref: false });
}

/**
 * @param now by the age clock
 * @param ageMs how long errors are kept
 */
export async function ageCounts(store: Store, now: number, ageMs: number, pauseMs: number): Promise<void> {
  const steps = [
    () => joinHours(store, now - finelyCountedMs),
    () => dropSurplusUsers(store),
    () => evictForgotten(store, now - forgottenMs),
  ];
  for (const step of steps) {
    while ((await step()) > 0) await pause(pauseMs);
  }
  let cursor: number | undefined = 0;
  while (cursor !== undefined) {
    cursor = await dropSilentUsers(store, now - ageMs, cursor);
    await pause(pauseMs);
  }
}
