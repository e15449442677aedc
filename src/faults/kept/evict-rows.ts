import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Side, Tables } from '#src/store/schema.ts';

import { isUnnamed, listMiddle, newestKept, firstKept, type PickedRow, readRank } from './thin-fault.ts';

/**
 * Which errors go when there is no room, in this order:
 *
 * 1. the middle of the fault that has most rows, those of the highest rank first, until no fault has more than its first 10 and
 *    its newest 50;
 * 2. errors: the oldest of the fault that has most rows. Untrusted errors: the largest, because their senders are strangers. Neither
 *    takes a first error, nor one that a turn of a fault names;
 * 3. any: the oldest errors, the largest untrusted errors.
 *
 * So a flood of one fault costs that fault, and never the only row of another.
 */

/** How many rows of a fault are compared. A thinned fault has fewer in its middle. */
const comparedRows = 500;
/** Faults that are asked for rows. A fault whose rows are all named gives none. */
const faultsAsked = 20;
/** Of what a fault has. */
const givenAtOnce = 0.25;

type KeptFault = { readonly fault: string; readonly rows: number };

async function listLargestFaults(
  db: Kysely<Tables>,
  side: Side,
  app: string | undefined,
  limit: number,
): Promise<readonly KeptFault[]> {
  return db
    .selectFrom('kept_fault')
    .select(['fault', 'rows'])
    .where('side', '=', side)
    .$if(app !== undefined, (query) => query.where('of_app', '=', app ?? ''))
    .orderBy('rows', 'desc')
    .limit(limit)
    .execute();
}

/** How many a fault gives: a part, so that several with about as many rows give in turns. */
function countPart(rows: number, limit: number): number {
  return Math.min(limit, Math.ceil(rows * givenAtOnce));
}

/** How many the largest fault gives: down to the next one. */
function countSurplus(rows: number, next: number, limit: number): number {
  return Math.max(Math.min(limit, rows - next), countPart(rows, limit));
}

/** @param app undefined: of all apps */
export async function listMiddleOfLargest(
  db: Kysely<Tables>,
  side: Side,
  app: string | undefined,
  limit: number,
): Promise<readonly PickedRow[]> {
  const faults = await listLargestFaults(db, side, app, faultsAsked);
  for (const [index, { fault, rows }] of faults.entries()) {
    if (rows <= firstKept + newestKept) return [];
    const middle = await listMiddle(db, side, fault, rows, comparedRows);
    if (middle.length === 0) continue;
    const ranked = middle.toReversed().toSorted((a, b) => readRank(b.ordinal) - readRank(a.ordinal));
    return ranked.slice(0, countSurplus(rows, faults[index + 1]?.rows ?? 0, limit));
  }
  return [];
}

async function listOldestOfLargest(db: Kysely<Tables>, app: string, limit: number): Promise<readonly PickedRow[]> {
  const faults = await listLargestFaults(db, 'server', app, faultsAsked);
  const picked: PickedRow[] = [];
  for (const { fault, rows: count } of faults) {
    const left = limit - picked.length;
    if (count <= 1 || left <= 0) break;
    const given = countPart(count, left);
    const { rows } = await sql<PickedRow>`select rowid, ordinal, bytes from event
      where fault = ${fault} and side = 'server' and ${isUnnamed} order by received_at limit ${given}`.execute(db);
    picked.push(...rows);
  }
  return picked;
}

/** @param which `later`: neither first errors nor those that a turn names */
export async function listUntrustedBySize(
  db: Kysely<Tables>,
  which: 'later' | 'all',
  limit: number,
): Promise<readonly (PickedRow & { readonly app: string })[]> {
  const isChosen = which === 'later' ? sql`and ordinal is distinct from 1 and ${isUnnamed}` : sql``;
  const { rows } = await sql<PickedRow & { readonly app: string }>`select rowid, app, ordinal, bytes from event
    where side = 'browser' ${isChosen} order by bytes desc limit ${limit}`.execute(db);
  return rows;
}

/** @param before only rows that were received earlier, milliseconds since 1970 */
export async function listOldest(
  db: Kysely<Tables>,
  side: Side,
  limit: number,
  { app, before = Number.MAX_SAFE_INTEGER }: { readonly app?: string; readonly before?: number } = {},
): Promise<readonly PickedRow[]> {
  const ofApp = app === undefined ? sql`` : sql`and app = ${app}`;
  const { rows } = await sql<PickedRow>`select rowid, ordinal, bytes from event
    where side = ${sql.lit(side)} and received_at < ${before} ${ofApp} order by received_at limit ${limit}`.execute(db);
  return rows;
}

/** Errors of one app that go first. */
export async function listErrorsToEvict(db: Kysely<Tables>, app: string, limit: number): Promise<readonly PickedRow[]> {
  const middle = await listMiddleOfLargest(db, 'server', app, limit);
  if (middle.length > 0) return middle;
  const oldest = await listOldestOfLargest(db, app, limit);
  return oldest.length > 0 ? oldest : listOldest(db, 'server', limit, { app });
}

/** Untrusted errors that go first. @param last what goes when only first errors are left */
export async function listUntrustedToEvict(
  db: Kysely<Tables>,
  limit: number,
  last: 'oldest' | 'largest',
): Promise<readonly PickedRow[]> {
  const middle = await listMiddleOfLargest(db, 'browser', undefined, limit);
  if (middle.length > 0) return middle;
  if (last === 'oldest') return listOldest(db, 'browser', limit);
  const later = await listUntrustedBySize(db, 'later', limit);
  return later.length > 0 ? later : listUntrustedBySize(db, 'all', limit);
}
