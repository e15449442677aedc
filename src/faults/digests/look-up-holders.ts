import 'server-only';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import { bareNumberSql, isSpelledOtherwiseSql, isSuffixedSql, plainDigestSql } from '#src/store/past-digests.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import { timeColumns } from '../kept/select-events.ts';
import { type DigestPlace, knownDigests, shortestPlain, toPlain } from './compare-digests.ts';

/**
 * These queries say which apps have a digest. Anybody can make a hundred thousand errors with one digest, or with digests that begin alike.
 * So no query reads all of them: it goes through an index from one app to the next, and looks up the latest of each app.
 */
export type Holder = { readonly app: string; readonly digest: string; readonly lastTime: number };

/** Of deleted errors: a number has one such suffix, as long as nobody makes others up. */
const pastRead = 200;

function sideOf(place: Exclude<DigestPlace, 'past'>): Side {
  return place === 'trusted' ? 'server' : 'browser';
}

/** A table `holder` of the apps that have one of these events. @param named from which table, and on which condition */
function appsOf(named: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`with recursive holder (app) as (
      select min(event.app) ${named}
      union all
      select (select min(event.app) ${named} and event.app > holder.app) from holder where holder.app is not null)`;
}

export function holdersOfEvents(side: Side, digest: string): RawBuilder<Pick<Holder, 'app' | 'lastTime'>> {
  const named = sql`from event where event.side = ${sql.lit(side)} and event.digest = ${digest}`;
  return sql`${appsOf(named)}
    select holder.app as app, (select max(${sql.ref(`event.${timeColumns[side]}`)}) ${named} and event.app = holder.app) as "lastTime"
    from holder where holder.app is not null`;
}

type Typed = { readonly digest: string };

/** Each app's latest digest on this condition. */
function latestOfEach(side: Side, condition: RawBuilder<unknown>): RawBuilder<Typed> {
  const named = sql`from event where event.side = ${sql.lit(side)} and ${condition}`;
  return sql`${appsOf(named)}
    select distinct (select event.digest ${named} and event.app = holder.app order by event.received_at desc limit 1) as digest
    from holder where holder.app is not null`;
}

/** Of a number as Next shows it with a suffix: `2338734591@E394`. */
export function suffixedOf(side: Side, number: string): RawBuilder<Typed> {
  return latestOfEach(side, sql`${isSuffixedSql} and ${bareNumberSql} = ${number}`);
}

/** A code without its marks, in capitals. */
type Plain = {
  readonly plain: string;
  /** Where nothing but capitals may differ. */
  readonly capitals: string | undefined;
};

function isSpelledAs({ plain, capitals }: Plain): RawBuilder<boolean> {
  const isSame = capitals === undefined ? sql`` : sql`and upper(digest) = ${capitals}`;
  return sql`${isSpelledOtherwiseSql} and ${plainDigestSql} = ${plain} ${isSame}`;
}

export function spelledOf(side: Side, code: Plain): RawBuilder<Typed> {
  return latestOfEach(side, isSpelledAs(code));
}

/** One is usual. */
const spelledRead = 5;
/** Many errors may have the same. */
const rowsRead = 1_000;

/** Of deleted errors. In two steps: for different digests alone PostgreSQL would read all of them, in their order. */
function spelledPast(db: Kysely<Tables>, code: Plain): RawBuilder<Typed> {
  return sql`with found as materialized (
      select digest from ${knownDigests(db, 'past')} where ${isSpelledAs(code)} limit ${rowsRead})
    select distinct digest from found limit ${spelledRead}`;
}

/** One row is usual. An app whose routes are addresses makes one for each. */
const originsRead = 2_000;

function pastHolders(digest: string): RawBuilder<Pick<Holder, 'app' | 'lastTime'>> {
  return sql`select past_origin.app as app, max(named.time) * 1000 as "lastTime"
    from (select origin, time from past_digest where digest = ${digest} limit ${originsRead}) as named
    join past_origin on past_origin.id = named.origin
    where past_origin.gone = 0
      and exists (select 1 from fault_hash where fault_hash.app = past_origin.app and fault_hash.hash = past_origin.hash)
    group by past_origin.app`;
}

/** The apps that have this very digest, each with when it had it last. */
export async function listAppsWith(db: Kysely<Tables>, place: DigestPlace, digest: string): Promise<readonly Holder[]> {
  const query = place === 'past' ? pastHolders(digest) : holdersOfEvents(sideOf(place), digest);
  const { rows } = await query.execute(db);
  return rows.map((row) => ({ ...row, digest }));
}

/** The first of those of deleted errors. */
function suffixedPast(number: string): RawBuilder<Typed> {
  const [after, before] = [`${number}@`, `${number}A`];
  return sql`with recursive suffixed (digest, place) as (
      select min(digest), 1 from past_digest where digest > ${after} and digest < ${before}
      union all
      select (select min(digest) from past_digest where digest > suffixed.digest and digest < ${before}), suffixed.place + 1
      from suffixed where suffixed.digest is not null and suffixed.place < ${pastRead})
    select digest from suffixed where digest is not null`;
}

/** The digests that are this number with a suffix, which nobody reads out: each app's latest. */
export async function listSuffixed(db: Kysely<Tables>, place: DigestPlace, number: string): Promise<readonly string[]> {
  const { rows } = await (place === 'past' ? suffixedPast(number) : suffixedOf(sideOf(place), number)).execute(db);
  return rows.map(({ digest }) => digest);
}

/**
 * Digests that are this code but for capitals and marks, and have small letters or marks themselves: an index has those and no
 * others (src/store/past-digests.ts). All others are spelled as `toPlain` does.
 */
export async function findSpelled(db: Kysely<Tables>, place: DigestPlace, code: string): Promise<readonly string[]> {
  const plain = toPlain(code);
  const asked = { plain, capitals: plain.length < shortestPlain ? code.toUpperCase() : undefined };
  const query = place === 'past' ? spelledPast(db, asked) : spelledOf(sideOf(place), asked);
  return (await query.execute(db)).rows.map(({ digest }) => digest);
}
