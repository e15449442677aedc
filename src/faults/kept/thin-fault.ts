import 'server-only';

import { type Kysely, sql } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import type { Store } from '#src/store/open-store.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import { readHeld, sumOf } from './measure-kept.ts';

/**
 * Of a fault that occurs again and again, its first errors tell how it began, and its newest how it is now. Those between are
 * thinned while space is short: of the first 63 all stay, from then on 32 of each doubling of the count, evenly spread. So 48,210
 * errors become some 430 rows, and ten times as many a hundred more. While there is room, all stay: each is what somebody's
 * digest names.
 *
 * Which ones stay follows from the ordinal alone, which never changes. In binary, 96 is 1100000: its last 1 is at place 1, counted
 * from the left. That is its rank. Of each doubling one ordinal has rank 0, one rank 1, two rank 2, four rank 3. To keep half
 * as many, the highest rank goes.
 *
 * Thinning happens while errors are stored, in their transaction: a fault that occurs 10,000 times a second must not fill the
 * disk between two passes of retention. When it begins, a fault may have a hundred thousand rows. So it happens in pieces: the rows
 * that have just left the newest ones go first, so that the fault does not grow, and as many older ones with them.
 */

/** Never thinned. */
export const firstKept = 10;
export const newestKept = 50;
const highestRank = 5;
/** How often it is looked: a look costs as much as storing one error. */
const thinnedEvery = 25;
/** At one look. Twice what came since the last: a fault shrinks while it occurs. Some 5 ms, as retention.ts measured it. */
const thinnedAtOnce = 2 * thinnedEvery;
/** Nine doublings have as many rows that stay: so what is older than the newest is reached, too. A millisecond. */
const rowsLookedAt = 300;

/**
 * From which part of `FLIGHT_DATA_LIMIT` on a side is short of space, by its own counted bytes: untrusted errors cannot thin a server's
 * errors, however many there are.
 *
 * Errors: a third, 70,000 of the usual 10 KiB by default. In SQLite's pages a row takes up to 1.65 times its counted bytes (texts of
 * 4 KB in pages of 8): then a third is 0.55 of the file. Retention looks again half a second later. By then 10,000 errors a second of
 * the largest size are 750 MB. That is another 0.35 if none of them were thinned: together 0.9.
 *
 * Untrusted errors: half of their share, so that small ones find room when a new one has to take the place of a larger
 * (untrusted-budget.ts).
 */
const shortFrom = { server: 1 / 3, browser: 0.125 } as const satisfies Record<Side, number>;
/** An app with less is not what makes space short: another app's storm thins none of its faults. As retention leaves all others. */
const spared = { server: 0.15, browser: 0 } as const satisfies Record<Side, number>;

/** Rows without an ordinal were stored before errors were counted: they go first. */
export function readRank(ordinal: number | null): number {
  return ordinal === null ? Number.POSITIVE_INFINITY : ordinal.toString(2).lastIndexOf('1');
}

/** Says whether an error between the first and the newest is deleted. */
function isThinned(ordinal: number | null): boolean {
  return readRank(ordinal) > highestRank;
}

/** An event, by the number that the database gave it. */
export type PickedRow = { readonly rowid: number; readonly ordinal: number | null; readonly bytes: number };

/** Not what a turn of a fault names, its first error for one. */
export const isUnnamed = sql<boolean>`not exists (select 1 from fault_activity where fault_activity.error = event.id)`;

/**
 * The rows between the first and the newest of a fault, the newest first.
 * @param kept how many rows the fault has
 */
export async function listMiddle(
  db: Kysely<Tables>,
  side: Side,
  fault: string,
  kept: number,
  limit: number,
): Promise<readonly PickedRow[]> {
  const count = Math.min(limit, kept - firstKept - newestKept);
  if (count <= 0) return [];
  const { rows } = await sql<
    PickedRow & { isNamed: number }
  >`select rowid, ordinal, bytes, case when ${isUnnamed} then 0 else 1 end as "isNamed"
    from event where fault = ${fault} and side = ${side} order by received_at desc limit ${count} offset ${newestKept}`.execute(
    db,
  );
  return rows.filter(({ isNamed }) => isNamed === 0);
}

export async function deleteRows(db: Kysely<Tables>, rows: readonly PickedRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const chosen = dialectOf(db).isOneOf(
    sql.ref('rowid'),
    rows.map(({ rowid }) => rowid),
  );
  const { numAffectedRows } = await sql`delete from event where ${chosen}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

type Counted = { readonly fault: string | null; readonly ordinal?: number | null };

/**
 * Called for each error that was counted, in the transaction that stores it.
 * @param side who told it
 * @param error its ordinal is the one among those of this side
 */
export async function thinFault(
  db: Kysely<Tables>,
  { limitBytes }: Pick<Store, 'limitBytes'>,
  side: Side,
  { fault, ordinal }: Counted,
): Promise<void> {
  if (fault === null || !ordinal || ordinal % thinnedEvery !== 0) return;
  const kept = await db
    .selectFrom('kept_fault')
    .select(['rows', 'of_app'])
    .where('side', '=', side)
    .where('fault', '=', fault)
    .executeTakeFirst();
  if (!kept) return;
  const held = await readHeld(db, `event-${side}`);
  const ofApp = held.find(({ app }) => app === kept.of_app)?.bytes ?? 0;
  if (sumOf(held, 'bytes') <= shortFrom[side] * limitBytes || ofApp <= spared[side] * limitBytes) return;
  const middle = await listMiddle(db, side, fault, kept.rows, rowsLookedAt);
  const thinned = middle.filter((row) => isThinned(row.ordinal));
  await deleteRows(db, thinned.slice(0, thinnedAtOnce));
}
