import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import { sides } from '#src/store/event-columns.ts';
import type { Level, Side, Tables } from '#src/store/schema.ts';

import { listNewestUnder, type Newest } from '../kept/newest-under.ts';
import { selectEvents } from '../kept/select-events.ts';

/**
 * The events of a fault that are kept, one by one, the newest first: what servers told and what browsers report in one order.
 * The order is that of (time, row). Each step starts at an event and not at a count, so it stays where it was while new ones
 * come in and old ones are deleted.
 */
export type KeptError = {
  /** `event.id` */
  readonly key: string;
  /** Its row's number. Of two errors of one time, the later has the higher. SQLite's index on fault and time has them in this order. */
  readonly row: number;
  /** `browser`: untrusted. */
  readonly side: Side;
  /** Milliseconds since 1970; of an untrusted error after its sender's clock was corrected. */
  readonly time: number;
  readonly digest: string | null;
  readonly path: string;
  readonly release: string;
  readonly environment: string;
  readonly level: Level;
  /** Null where the sender names no user. */
  readonly user: string | null;
};

type Place = Pick<KeptError, 'row' | 'time'>;
type Direction = 'older' | 'newer';

function selectKept(db: Kysely<Tables>, side: Side) {
  return selectEvents(db, side)
    .select(['id as key', sql<number>`event.rowid`.as('row'), 'event.side', 'time', 'digest', 'path'])
    .select(['release', 'environment', 'level', 'user_key as user']);
}

/** The range of the time stands alone, so that the index on fault and time is used. */
function isBeyond(direction: Direction, from: Place) {
  return direction === 'older'
    ? sql<boolean>`time <= ${from.time} and (time < ${from.time} or event.rowid < ${from.row})`
    : sql<boolean>`time >= ${from.time} and (time > ${from.time} or event.rowid > ${from.row})`;
}

const countedNewer = 5_000;

/** Newer is positive. */
function compare(a: Place, b: Place): number {
  return a.time - b.time || a.row - b.row;
}

/** @returns those nearest to `from`, nearest first, without itself */
async function step(
  db: Kysely<Tables>,
  fault: string,
  direction: Direction,
  from: Place | undefined,
  limit: number,
): Promise<KeptError[]> {
  const order = direction === 'older' ? 'desc' : 'asc';
  const found: KeptError[] = [];
  // Each side's index has its own in this order: however many there are of the other, they are not read.
  for (const side of sides) {
    const all = selectKept(db, side).where('fault', '=', fault);
    const beyond = from ? all.where(isBeyond(direction, from)) : all;
    found.push(
      ...(await beyond
        .orderBy('time', order)
        .orderBy(sql`event.rowid`, order)
        .limit(limit)
        .execute()),
    );
  }
  return found.toSorted((a, b) => (direction === 'older' ? compare(b, a) : compare(a, b))).slice(0, limit);
}

/** Also one that has yet to follow its hash from a fault that was merged into this one. A server's first. */
async function findByKey(db: Kysely<Tables>, fault: string, key: string): Promise<KeptError | undefined> {
  const merged = await db.selectFrom('fault').select('id').where('merged_into', '=', fault).execute();
  const faults = [fault, ...merged.map(({ id }) => id)];
  const find = (side: Side) =>
    selectKept(db, side).where('id', '=', key).where('fault', 'in', faults).executeTakeFirst();
  return (await find('server')) ?? (await find('browser'));
}

/** @returns undefined for more than anybody would go through one by one */
async function countNewer(db: Kysely<Tables>, fault: string, than: Place): Promise<number | undefined> {
  const newer = db
    .selectFrom('event')
    .select(sql<number>`1`.as('one'))
    .where('side', 'in', sides)
    .where('fault', '=', fault)
    .where(isBeyond('newer', than))
    .limit(countedNewer + 1)
    .as('newer');
  const { count } = await db
    .selectFrom(newer)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count > countedNewer ? undefined : count;
}

export type ShownError = {
  readonly shown: KeptError;
  /** 1 is the newest; undefined where that is not counted. */
  readonly position: number | undefined;
  /** Keys; undefined at that end. */
  readonly newest: string | undefined;
  readonly newer: string | undefined;
  readonly older: string | undefined;
  readonly oldest: string | undefined;
};

/**
 * The error of this key, else the newest, with the ways to the others. The newest of a server's goes before what browsers report of
 * the same fault: the server's has the cause.
 * @returns undefined where none of the fault's errors is kept
 */
export async function findShownError(fault: string, key?: string): Promise<ShownError | undefined> {
  requireReader();
  const { db } = await openStore();
  const [newest] = await step(db, fault, 'older', undefined, 1);
  if (!newest) return undefined;
  const asked = key === undefined ? undefined : await findByKey(db, fault, key);
  const [ofServer] = asked ? [] : await listLatestOfSide(fault, 'server', 1);
  const shown = asked ?? ofServer ?? newest;
  const [newer] = await step(db, fault, 'newer', shown, 1);
  const newerThanIt = newer ? await countNewer(db, fault, shown) : 0;
  const [older] = await step(db, fault, 'older', shown, 1);
  const [oldest] = older ? await step(db, fault, 'newer', undefined, 1) : [];
  return {
    shown,
    position: newerThanIt === undefined ? undefined : 1 + newerThanIt,
    newest: newer && newest.key,
    newer: newer?.key,
    older: older?.key,
    oldest: oldest?.key,
  };
}

const errorsListed = 20;

export type KeptErrorList = {
  readonly errors: readonly KeptError[];
  /** Keys at which the pages before and after this one begin; `newer` is null where that page is the first. */
  readonly newer: string | null | undefined;
  readonly older: string | undefined;
};

/** A page of the list, which begins with the error of this key, else with the newest. */
export async function listKeptErrors(fault: string, from?: string): Promise<KeptErrorList> {
  requireReader();
  const { db } = await openStore();
  const first = from === undefined ? undefined : await findByKey(db, fault, from);
  const rest = await step(db, fault, 'older', first, errorsListed + (first ? 0 : 1));
  const all = first ? [first, ...rest] : rest;
  const before = first ? await step(db, fault, 'newer', first, errorsListed + 1) : [];
  return {
    errors: all.slice(0, errorsListed),
    older: all[errorsListed]?.key,
    // A page that would begin among the newest begins with the newest.
    newer: before.length === 0 ? undefined : before.length > errorsListed ? before[errorsListed - 1]?.key : null,
  };
}

/** The newest kept ones of one side, for those who ask for what counts alone (counted.ts). */
export async function listLatestOfSide(fault: string, side: KeptError['side'], limit: number): Promise<KeptError[]> {
  requireReader();
  const { db } = await openStore();
  return selectKept(db, side)
    .where('fault', '=', fault)
    .orderBy('time', 'desc')
    .orderBy(sql`event.rowid`, 'desc')
    .limit(limit)
    .execute();
}

/** Whose the error of this key is: a fault that was not merged into another. */
export async function findFaultOfError(key: string): Promise<string | undefined> {
  requireReader();
  const { db } = await openStore();
  const row = await db
    .selectFrom('fault')
    .select('id')
    .where('merged_into', 'is', null)
    .where(({ eb, selectFrom }) =>
      eb('id', 'in', selectFrom('event').select('event.fault').where('event.id', '=', key)),
    )
    .executeTakeFirst();
  return row?.id;
}

/** A fault whose digest names it has one; one whose digests name errors has as many as rows. */
const digestsListed = 200;
/** The digests of the newest kept errors, each once. */
export async function listKeptDigests(fault: string): Promise<readonly string[]> {
  requireOperator();
  const { db } = await openStore();
  const digests = new Set<string>();
  for (const side of sides) {
    const rows = await selectEvents(db, side)
      .select('digest')
      .where('fault', '=', fault)
      .where('digest', 'is not', null)
      .orderBy('time', 'desc')
      .limit(digestsListed)
      .execute();
    for (const { digest } of rows) if (digest !== null) digests.add(digest);
  }
  return [...digests];
}

/** The newest errors of servers with one of these digests, of whichever fault: builds may share a digest and not its fault. */
export async function listHolders(app: string, digests: readonly string[]): Promise<readonly Newest[]> {
  requireOperator();
  const { db } = await openStore();
  return listNewestUnder(db, app, digests);
}
