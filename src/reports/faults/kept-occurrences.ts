import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { requireReader } from '#src/operator/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Level, Tables } from '#src/store/schema.ts';

/**
 * The occurrences of a fault that are kept, one by one, the newest first: errors of servers and reports of browsers in one order.
 * The order is that of (time, key). Each step starts at an occurrence and not at a count, so it stays where it was while new ones
 * come in and old ones are deleted.
 */
export type KeptOccurrence = {
  /** `error.id` or `report.event_id`. */
  readonly key: string;
  /** `browser`: a claim. */
  readonly side: 'server' | 'browser';
  /** Milliseconds since 1970; of a report after its sender's clock was corrected. */
  readonly time: number;
  readonly digest: string | null;
  readonly path: string;
  readonly release: string;
  readonly environment: string;
  readonly level: Level;
  /** Null where the sender names no user. */
  readonly user: string | null;
};

type Place = Pick<KeptOccurrence, 'key' | 'time'>;
type Direction = 'older' | 'newer';

function selectErrors(db: Kysely<Tables>, fault: string) {
  return db
    .selectFrom('error')
    .select(['id as key', 'time', 'digest', 'path', 'release', 'environment', 'level', 'user_key as user'])
    .where('fault', '=', fault);
}

function selectReports(db: Kysely<Tables>, fault: string) {
  return db
    .selectFrom('report')
    .select(['event_id as key', 'time', 'digest', 'path', 'environment', 'level', 'user_key as user'])
    .select(sql<string>`coalesce(release, '')`.as('release'))
    .where('fault', '=', fault);
}

/** The range of the time stands alone, so that the index on fault and time is used. */
function isBeyond(key: 'id' | 'event_id', direction: Direction, from: Place) {
  const column = sql.ref(key);
  return direction === 'older'
    ? sql<boolean>`time <= ${from.time} and (time < ${from.time} or ${column} < ${from.key})`
    : sql<boolean>`time >= ${from.time} and (time > ${from.time} or ${column} > ${from.key})`;
}

/** Newer is positive. */
function compare(a: Place, b: Place): number {
  return a.time - b.time || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}

/** @returns those nearest to `from`, nearest first, without itself */
async function step(
  db: Kysely<Tables>,
  fault: string,
  direction: Direction,
  from: Place | undefined,
  limit: number,
): Promise<KeptOccurrence[]> {
  const order = direction === 'older' ? 'desc' : 'asc';
  const errors = selectErrors(db, fault).orderBy('time', order).orderBy('id', order).limit(limit);
  const reports = selectReports(db, fault).orderBy('time', order).orderBy('event_id', order).limit(limit);
  const found: KeptOccurrence[] = [
    ...(await (from ? errors.where(isBeyond('id', direction, from)) : errors).execute()).map(
      (row) => ({ ...row, side: 'server' }) as const,
    ),
    ...(await (from ? reports.where(isBeyond('event_id', direction, from)) : reports).execute()).map(
      (row) => ({ ...row, side: 'browser' }) as const,
    ),
  ];
  return found.toSorted((a, b) => (direction === 'older' ? compare(b, a) : compare(a, b))).slice(0, limit);
}

async function findByKey(db: Kysely<Tables>, fault: string, key: string): Promise<KeptOccurrence | undefined> {
  const error = await selectErrors(db, fault).where('id', '=', key).executeTakeFirst();
  if (error) return { ...error, side: 'server' };
  const report = await selectReports(db, fault).where('event_id', '=', key).executeTakeFirst();
  return report && { ...report, side: 'browser' };
}

async function countNewer(db: Kysely<Tables>, fault: string, than: Place): Promise<number> {
  const [errors, reports] = [
    db
      .selectFrom('error')
      .where('fault', '=', fault)
      .where(isBeyond('id', 'newer', than)),
    db
      .selectFrom('report')
      .where('fault', '=', fault)
      .where(isBeyond('event_id', 'newer', than)),
  ];
  const { count: ofErrors } = await errors
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const { count: ofReports } = await reports
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return ofErrors + ofReports;
}

export type ShownOccurrence = {
  readonly shown: KeptOccurrence;
  /** 1 is the newest. */
  readonly position: number;
  /** Keys; undefined at that end. */
  readonly newest: string | undefined;
  readonly newer: string | undefined;
  readonly older: string | undefined;
  readonly oldest: string | undefined;
};

/**
 * The occurrence of this key, else the newest, with the ways to the others. The newest of a server's goes before what browsers claim of
 * the same fault: the server's has the cause.
 * @returns undefined where none of the fault's occurrences is kept
 */
export async function findShownOccurrence(fault: string, key?: string): Promise<ShownOccurrence | undefined> {
  requireReader();
  const { db } = await openStore();
  const [newest] = await step(db, fault, 'older', undefined, 1);
  if (!newest) return undefined;
  const asked = key === undefined ? undefined : await findByKey(db, fault, key);
  const [ofServer] = asked ? [] : await listLatestOfSide(fault, 'server', 1);
  const shown = asked ?? ofServer ?? newest;
  const [newer] = await step(db, fault, 'newer', shown, 1);
  const [older] = await step(db, fault, 'older', shown, 1);
  const [oldest] = older ? await step(db, fault, 'newer', undefined, 1) : [];
  return {
    shown,
    position: newer ? 1 + (await countNewer(db, fault, shown)) : 1,
    newest: newer && newest.key,
    newer: newer?.key,
    older: older?.key,
    oldest: oldest?.key,
  };
}

const occurrencesListed = 20;

export type OccurrenceList = {
  readonly occurrences: readonly KeptOccurrence[];
  /** Keys at which the pages before and after this one begin; `newer` is null where that page is the first. */
  readonly newer: string | null | undefined;
  readonly older: string | undefined;
};

/** A page of the list, which begins with the occurrence of this key, else with the newest. */
export async function listKeptOccurrences(fault: string, from?: string): Promise<OccurrenceList> {
  requireReader();
  const { db } = await openStore();
  const first = from === undefined ? undefined : await findByKey(db, fault, from);
  const rest = await step(db, fault, 'older', first, occurrencesListed + (first ? 0 : 1));
  const all = first ? [first, ...rest] : rest;
  const before = first ? await step(db, fault, 'newer', first, occurrencesListed + 1) : [];
  return {
    occurrences: all.slice(0, occurrencesListed),
    older: all[occurrencesListed]?.key,
    // A page that would begin among the newest begins with the newest.
    newer:
      before.length === 0 ? undefined : before.length > occurrencesListed ? before[occurrencesListed - 1]?.key : null,
  };
}

/** The newest kept ones of one side, for those who ask for what counts alone (counted.ts). */
export async function listLatestOfSide(
  fault: string,
  side: KeptOccurrence['side'],
  limit: number,
): Promise<KeptOccurrence[]> {
  requireReader();
  const { db } = await openStore();
  if (side === 'server') {
    const errors = await selectErrors(db, fault).orderBy('time', 'desc').orderBy('id', 'desc').limit(limit).execute();
    return errors.map((row) => ({ ...row, side }));
  }
  const reports = await selectReports(db, fault)
    .orderBy('time', 'desc')
    .orderBy('event_id', 'desc')
    .limit(limit)
    .execute();
  return reports.map((row) => ({ ...row, side }));
}

/** Whose the occurrence of this key is: a fault that was not merged into another. */
export async function findFaultOfOccurrence(key: string): Promise<string | undefined> {
  requireReader();
  const { db } = await openStore();
  const row = await db
    .selectFrom('fault')
    .select('id')
    .where('merged_into', 'is', null)
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('id', 'in', selectFrom('error').select('error.fault').where('error.id', '=', key)),
        eb('id', 'in', selectFrom('report').select('report.fault').where('report.event_id', '=', key)),
      ]),
    )
    .executeTakeFirst();
  return row?.id;
}

/** A fault whose digest names it has one; one whose digests name occurrences has as many as rows. */
const digestsListed = 200;

/** The digests of the newest kept occurrences, each once. */
export async function listKeptDigests(fault: string): Promise<readonly string[]> {
  requireOperator();
  const { db } = await openStore();
  const digests = new Set<string>();
  for (const table of ['error', 'report'] as const) {
    const rows = await db
      .selectFrom(table)
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
