import 'server-only';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Side, Tables } from '#src/store/schema.ts';

import { timeColumns } from '../kept/select-events.ts';
import { type DigestPlace, knownDigests } from './compare-digests.ts';

/**
 * Which apps have a digest. Anybody can make a hundred thousand errors with one digest, or with as many that begin alike: so none of these
 * reads a row. Each app, and each digest that begins with a number, is one look into an index, from the one before to the next.
 */
export type Holder = { readonly app: string; readonly digest: string; readonly lastTime: number };

/** Next.js 16 shows `2338734591@E394`; a number has one such suffix, as long as nobody makes others up. */
const suffixesRead = 20;

function sideOf(place: Exclude<DigestPlace, 'past'>): Side {
  return place === 'trusted' ? 'server' : 'browser';
}

export function holdersOfEvents(side: Side, digest: string): RawBuilder<Pick<Holder, 'app' | 'lastTime'>> {
  const named = sql`from event where event.side = ${sql.lit(side)} and event.digest = ${digest}`;
  return sql`with recursive holder (app) as (
      select min(event.app) ${named}
      union all
      select (select min(event.app) ${named} and event.app > holder.app) from holder where holder.app is not null)
    select holder.app as app, (select max(${sql.ref(`event.${timeColumns[side]}`)}) ${named} and event.app = holder.app) as "lastTime"
    from holder where holder.app is not null`;
}

function selectPast(db: Kysely<Tables>, digest: string) {
  return db
    .selectFrom(knownDigests(db, 'past'))
    .select(['app', ({ fn }) => fn.max('time').as('lastTime')])
    .where('digest', '=', digest)
    .groupBy('app');
}

/** The apps that have this very digest, each with when it had it last. */
export async function listHolders(db: Kysely<Tables>, place: DigestPlace, digest: string): Promise<readonly Holder[]> {
  const rows =
    place === 'past'
      ? await selectPast(db, digest).execute()
      : (await holdersOfEvents(sideOf(place), digest).execute(db)).rows;
  return rows.map((row) => ({ ...row, digest }));
}

/** @param from a table of digests, with its condition */
function suffixed(from: RawBuilder<unknown>, number: string): RawBuilder<{ readonly digest: string }> {
  const [after, before] = [`${number}@`, `${number}A`];
  return sql`with recursive suffixed (digest, place) as (
      select min(digest), 1 ${from} and digest > ${after} and digest < ${before}
      union all
      select (select min(digest) ${from} and digest > suffixed.digest and digest < ${before}), suffixed.place + 1
      from suffixed where suffixed.digest is not null and suffixed.place < ${suffixesRead})
    select digest from suffixed where digest is not null`;
}

export function suffixedOf(side: Side, number: string): RawBuilder<{ readonly digest: string }> {
  return suffixed(sql`from event where side = ${sql.lit(side)}`, number);
}

/** The first of the digests that are this number with a suffix, which nobody reads out. */
export async function listSuffixed(db: Kysely<Tables>, place: DigestPlace, number: string): Promise<readonly string[]> {
  const query =
    place === 'past' ? suffixed(sql`from past_digest where true`, number) : suffixedOf(sideOf(place), number);
  const { rows } = await query.execute(db);
  return rows.map(({ digest }) => digest);
}
