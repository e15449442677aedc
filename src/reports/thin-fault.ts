import 'server-only';

import { type Kysely, sql } from 'kysely';

import { engineOf } from '#src/store/engine-of.ts';
import { isOneOf } from '#src/store/one-of.ts';
import type { Tables } from '#src/store/schema.ts';

/**
 * Of a fault that occurs again and again, its first occurrences tell how it began, and its newest how it is now. Those between are
 * thinned: of the first 63 all stay, from then on 32 of each doubling of the count, evenly spread. So 48,210 occurrences are
 * some 430 rows, and ten times as many are a hundred more.
 *
 * Which ones stay follows from the ordinal alone, which never changes. In binary, 96 is 1100000: its last 1 is at place 1, counted
 * from the left. That is its rank. Of each doubling one ordinal has rank 0, one rank 1, two rank 2, four rank 3. To keep half
 * as many, the highest rank goes.
 *
 * Thinning happens while occurrences are stored, in their transaction: a fault that occurs 10,000 times a second must not fill the
 * disk between two passes of retention. A row that leaves the newest ones is deleted or stays then.
 */

/** Never thinned. */
export const firstKept = 10;
export const newestKept = 50;
const highestRank = 5;
/** How often it is looked: a look costs as much as storing one occurrence. */
const thinnedEvery = 25;
/** Four times what came since the last look: also one that deleted nothing leaves nothing behind. */
const rowsLookedAt = 4 * thinnedEvery;

export type OccurrenceTable = 'error' | 'report';

/** Rows without an ordinal were stored before occurrences were counted: they go first. */
export function readRank(ordinal: number | null): number {
  return ordinal === null ? Number.POSITIVE_INFINITY : ordinal.toString(2).lastIndexOf('1');
}

/** Of an occurrence between the first and the newest. */
function isThinned(ordinal: number | null): boolean {
  return readRank(ordinal) > highestRank;
}

/** A row of `error` or of `report`, by the number that the database gave it. */
export type PickedRow = { readonly rowid: number; readonly ordinal: number | null; readonly bytes: number };

/** Not what a turn of a fault names, its first occurrence for one. */
export function isUnnamed(table: OccurrenceTable) {
  const key = sql.ref(table === 'error' ? 'error.id' : 'report.event_id');
  return sql<boolean>`not exists (select 1 from fault_turn where fault_turn.occurrence = ${key})`;
}

/**
 * The rows between the first and the newest of a fault, the newest first.
 * @param kept how many rows the fault has
 */
export async function listMiddle(
  db: Kysely<Tables>,
  table: OccurrenceTable,
  fault: string,
  kept: number,
  limit: number,
): Promise<readonly PickedRow[]> {
  const count = Math.min(limit, kept - firstKept - newestKept);
  if (count <= 0) return [];
  const { rows } = await sql<
    PickedRow & { isNamed: number }
  >`select rowid, ordinal, bytes, case when ${isUnnamed(table)} then 0 else 1 end as "isNamed"
    from ${sql.table(table)} where fault = ${fault} order by received_at desc limit ${count} offset ${newestKept}`.execute(
    db,
  );
  return rows.filter(({ isNamed }) => isNamed === 0);
}

export async function deleteRows(
  db: Kysely<Tables>,
  table: OccurrenceTable,
  rows: readonly PickedRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const chosen = isOneOf(
    engineOf(db),
    sql.ref('rowid'),
    rows.map(({ rowid }) => rowid),
  );
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${chosen}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/**
 * Called for each occurrence, in the transaction that stores it.
 * @param table where the occurrence is stored: what browsers claim thins no server's errors
 * @param ordinal of the occurrence, among those of this table
 */
export async function thinFault(
  db: Kysely<Tables>,
  fault: string,
  table: OccurrenceTable,
  ordinal: number,
): Promise<void> {
  if (ordinal % thinnedEvery !== 0) return;
  const kept = await db
    .selectFrom('kept_fault')
    .select('rows')
    .where('side', '=', table)
    .where('fault', '=', fault)
    .executeTakeFirst();
  const middle = await listMiddle(db, table, fault, kept?.rows ?? 0, rowsLookedAt);
  await deleteRows(
    db,
    table,
    middle.filter((row) => isThinned(row.ordinal)),
  );
}
