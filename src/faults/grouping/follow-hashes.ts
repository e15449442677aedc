import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { type Kysely, sql } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { sides } from '#src/store/event-columns.ts';
import type { Store } from '#src/store/open-store.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import { joinCounts, type OfHash } from './join-part.ts';
import { describeFault } from './sum-fault.ts';

/**
 * A merge, a split and what undoes them move hashes, and count at once. Rows follow their hash in slices, each a transaction: a fault may
 * have 100,000. `fault_hash.moved` says that some may be behind, so the next start goes on where a process ended. The newest are the
 * first: what a page shows is there in the operator's own transaction.
 *
 * Rows of a part whose split was undone get the hash that was split, too; then its counts do, and the part is gone.
 */

/** Some 10 ms of the thread that serves pages. */
export const followedAtOnce = 100;
/** So others have it four fifths of the time. */
const pauseMs = 50;

/** Where a hash's rows belong. */
type Aim = { readonly moved: number; readonly fault: string; readonly parent: string | null };

/** Rows from here on, to older ones, have not been looked at since the hash was moved. */
type Place = {
  readonly moved: number;
  readonly side: Side;
  readonly time: number;
  readonly key: string;
};

export async function markMoved(trx: Kysely<Tables>, app: string, hashes: readonly string[], to: string) {
  const now = Date.now();
  // Another number each time: who follows them begins anew.
  const moved = sql<number>`case when coalesce(moved, 0) < ${now} then ${now} else moved + 1 end`;
  await trx
    .updateTable('fault_hash')
    .set({ fault: to, moved })
    .where('app', '=', app)
    .where('hash', 'in', hashes)
    .execute();
}

/** @returns undefined when none of its rows can be behind */
async function findAim(trx: Kysely<Tables>, { app, hash }: OfHash): Promise<Aim | undefined> {
  const row = await trx
    .selectFrom('fault_hash as moving')
    .leftJoin('fault_hash as parent', (join) =>
      join
        .onRef('parent.app', '=', 'moving.app')
        .onRef('parent.hash', '=', 'moving.split_of')
        .on('parent.split_by', 'is', null),
    )
    .select(['moving.moved', 'moving.fault', 'parent.hash as parent', 'parent.fault as ofParent'])
    .where('moving.app', '=', app)
    .where('moving.hash', '=', hash)
    .executeTakeFirst();
  if (!row || row.moved === null) return undefined;
  return { moved: row.moved, fault: row.ofParent ?? row.fault, parent: row.parent };
}

type Row = { readonly key: string; readonly time: number; readonly fault: string };

/** The range of the time stands alone, so that the index on fingerprint and time is used. */
async function listRows(
  trx: Kysely<Tables>,
  side: Side,
  { app, hash }: OfHash,
  from: Place | undefined,
  limit: number,
): Promise<readonly Row[]> {
  const older = from ? sql`and time <= ${from.time} and (time < ${from.time} or id < ${from.key})` : sql``;
  const { rows } = await sql<Row>`select id as key, time, fault from event
    where fingerprint = ${hash} and side = ${side} and app = ${app} and fault is not null ${older}
    order by time desc, id desc limit ${limit}`.execute(trx);
  return rows;
}

async function moveRows(trx: Kysely<Tables>, side: Side, rows: readonly Row[], { fault, parent }: Aim): Promise<void> {
  const behind = parent === null ? rows.filter((row) => row.fault !== fault) : rows;
  if (behind.length === 0) return;
  // A fingerprint that is written, even the same, is indexed for the search again.
  const to = parent === null ? { fault } : { fault, fingerprint: parent };
  const keys = behind.map(({ key }) => key);
  await trx.updateTable('event').set(to).where('side', '=', side).where('id', 'in', keys).execute();
  for (const id of new Set([fault, ...behind.map((row) => row.fault)])) await describeFault(trx, id);
}

/**
 * One slice.
 * @param from where the slice before it ended
 * @returns where the next one begins; undefined when all is done
 */
async function followSome(
  trx: Kysely<Tables>,
  of: OfHash,
  limit: number,
  from?: Place,
): Promise<Place | 'anew' | undefined> {
  const aim = await findAim(trx, of);
  if (!aim) return undefined;
  // Rows that get another hash are left out of the next look by themselves.
  const known = from?.moved === aim.moved && aim.parent === null ? from : undefined;
  let left = limit;
  for (const side of sides) {
    if (side === 'server' && known?.side === 'browser') continue;
    const rows = await listRows(trx, side, of, known?.side === side ? known : undefined, left);
    await moveRows(trx, side, rows, aim);
    left -= rows.length;
    const last = rows.at(-1);
    if (last && left === 0) return { moved: aim.moved, side, time: last.time, key: last.key };
  }
  if (aim.parent !== null) return (await joinCounts(trx, of, aim.parent, limit)) ? undefined : 'anew';
  const { app, hash } = of;
  await trx.updateTable('fault_hash').set({ moved: null }).where('app', '=', app).where('hash', '=', hash).execute();
  return undefined;
}

/** Moves a few rows of each hash now, and leaves the rest for later. */
export async function followFirst(trx: Kysely<Tables>, app: string, hashes: readonly string[]): Promise<void> {
  const some = hashes.slice(-followedAtOnce);
  const limit = Math.ceil(followedAtOnce / Math.max(1, some.length));
  for (const hash of some) await followSome(trx, { app, hash }, limit);
}

/** Whether a part is being joined to what was split: until that is done, its hash belongs to nobody. A few seconds. */
export async function isJoining(trx: Kysely<Tables>, faults: readonly string[]): Promise<boolean> {
  const found = await trx
    .selectFrom('fault_hash as part')
    .innerJoin('fault_hash as parent', (join) =>
      join.onRef('parent.app', '=', 'part.app').onRef('parent.hash', '=', 'part.split_of'),
    )
    .select('part.hash')
    .where('part.moved', 'is not', null)
    .where('part.fault', 'in', faults)
    .where('parent.split_by', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function listMoved({ db }: Store) {
  return db.selectFrom('fault_hash').select(['app', 'hash']).where('moved', 'is not', null).execute();
}

async function followAll(store: Store): Promise<void> {
  for (const of of await listMoved(store)) {
    let at: Place | 'anew' | undefined = 'anew';
    while (at) {
      const from: Place | undefined = at === 'anew' ? undefined : at;
      at = await store.transact((trx) => followSome(trx, of, followedAtOnce, from));
      if (at) await setTimeout(pauseMs, undefined, { ref: false });
    }
  }
}

const running = new WeakMap<Store, Promise<void>>();

/** All rows that are behind. One after the other in a process: the second finds what was moved meanwhile. */
export function followRest(store: Store): Promise<void> {
  const before = running.get(store) ?? Promise.resolve();
  const next = before.catch(() => undefined).then(() => followAll(store));
  running.set(store, next);
  return next;
}

/** After a form's transaction. Its answer does not wait for it. */
export async function followLater(store: Store): Promise<void> {
  const [first] = await listMoved(store);
  if (!first) return;
  followRest(store).catch((error: unknown) => {
    // The next start goes on.
    writeLog('warn', 'faults-not-moved', { reason: describeError(error) });
  });
}
