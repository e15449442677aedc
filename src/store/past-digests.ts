import { type Kysely, sql } from 'kysely';

import type { Tables } from './schema.ts';

/**
 * A digest is found for as long as its fault is there. PostgreSQL's: postgres/create-past-digests.ts.
 *
 * `past_digest` is what is left of a server's errors whose rows were deleted, whether thinned, evicted or too old: of each app,
 * digest and fingerprint one row. A trigger fills it, so storing an error costs nothing more, and no way of deleting rows can
 * forget it. As counts do, it belongs to the fingerprint: a merge, a split and what undoes them move hashes, and these rows go
 * with them. A row of a fault that has no hashes any more leaves nothing: so whoever deletes a fault or an app with its rows
 * deletes the hashes first.
 *
 * Its bytes are counted in `kept_app`, without rows: what sums up that table takes them as they are.
 */

/** As digests are compared when somebody types one: letters and digits, in capitals. The indexes below have these very words. */
const plainDigest = `upper(replace(replace(replace(replace(digest, '-', ''), '@', ''), '_', ''), '.', ''))`;

/** Nearly all are spelled so, and are found by themselves. So this index has few rows, and costs an insert nothing but a look. */
const isSpelledOtherwise = `digest <> ${plainDigest}`;

/** As long as a facet: a path is its visitor's, and may be of any length. */
export const longestRoute = 200;

/**
 * What a row takes besides its digest, which three indexes have, and its route. Measured (bench/past-digests.ts) with 10 characters
 * of digest and 12 of route: SQLite had 169 bytes for each of a million rows, PostgreSQL 239 for each of 200,000. The larger counts.
 */
const pastRowBytes = 200;

/** @param row what the row is called */
export function countPastBytes(row: string): string {
  return `${pastRowBytes} + 3 * octet_length(${row}.digest) + octet_length(${row}.route)`;
}

/**
 * What browsers report has no such rows: they would be a stranger's to fill. A row that is deleted before it followed its hash to another
 * fault leaves its digest to that hash, too.
 */
const keepPast = `create trigger event_past after delete on event
  when old.side = 'server' and old.digest is not null and old.fault is not null begin
  insert into past_digest (digest, app, hash, first_time, last_time, count, route)
  select old.digest, old.app, hash, old.time, old.time, 1,
    substr(case when old.route = '' then old.path else old.route end, 1, ${longestRoute})
  from (select coalesce(
    (select hash from fault_hash where app = old.app and hash = old.fingerprint),
    (select hash from fault_hash where fault = old.fault limit 1)) as hash)
  where hash is not null
  on conflict (digest, app, hash) do update set
    route = case when excluded.last_time >= last_time then excluded.route else route end,
    first_time = min(first_time, excluded.first_time), last_time = max(last_time, excluded.last_time), count = count + 1;
end`;

const addBytes = `insert into kept_app (side, of_app, rows, bytes) values ('past-digest', new.app, 0, ${countPastBytes('new')})
  on conflict (side, of_app) do update set bytes = bytes + excluded.bytes;`;
const removeBytes = `update kept_app set bytes = bytes - (${countPastBytes('old')}) where side = 'past-digest' and of_app = old.app;`;

export const pastTriggers: readonly string[] = [
  keepPast,
  `create trigger past_digest_added after insert on past_digest begin ${addBytes} end`,
  `create trigger past_digest_removed after delete on past_digest begin ${removeBytes} end`,
  `create trigger past_digest_changed after update of route on past_digest when old.route <> new.route begin
    update kept_app set bytes = bytes + octet_length(new.route) - octet_length(old.route)
      where side = 'past-digest' and of_app = new.app;
  end`,
];

export const pastDigestIndexes = [
  // Those of a fault that is deleted.
  'past_digest_hash on past_digest (app, hash)',
  // The oldest of the app that has most.
  'past_digest_time on past_digest (app, last_time)',
  `past_digest_spelled on past_digest ((${plainDigest})) where ${isSpelledOtherwise}`,
  `event_spelled on event ((${plainDigest}), side) where ${isSpelledOtherwise}`,
];

export const isSpelledOtherwiseSql = sql.raw<boolean>(isSpelledOtherwise);
export const plainDigestSql = sql.raw<string>(plainDigest);

/**
 * Deletes an app's oldest.
 * @returns how many
 */
export async function deletePastDigests(db: Kysely<Tables>, app: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from past_digest where (digest, app, hash) in (
    select digest, app, hash from past_digest where app = ${app} order by last_time limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
