import { type Kysely, sql } from 'kysely';

import type { Engine } from './engine-of.ts';
import type { Tables } from './schema.ts';

/**
 * A digest is found for as long as its fault is there. PostgreSQL's: postgres/create-past-digests.ts.
 *
 * `past_digest` is what is left of a server's errors whose rows were deleted, whether thinned, evicted or too old: a row for each digest
 * and origin. `past_origin` says whose it was: the app, the fingerprint, the route's pattern and the release, once for up to some
 * thousand digests. A trigger fills both, so storing an error costs nothing more, and no way of deleting rows can forget it.
 *
 * An origin belongs to the fingerprint, as counts do: a merge, a split and what undoes them move hashes, and the digests go with them. An
 * error of a fault that has no hashes any more leaves nothing: so whoever deletes a fault or an app with its rows deletes the hashes
 * first.
 *
 * A million digests have to fit beside all else. So a digest's row is as short as can be (seconds, and nothing that is the same for many),
 * and none is found by its age or its origin: such an index would be as large as the table. What is to go is an origin, whose mark `gone`
 * counts at once; its digests lead nowhere from then on, and a sweep through the key deletes them, a piece at a time
 * (`sweepPastDigests`).
 *
 * Their bytes are counted in the origin and in `kept_app`, without rows: what sums up that table takes them as they are.
 */

/** As digests are compared when somebody types one: letters and digits, in capitals. The indexes below have these very words. */
const plainDigest = `upper(replace(replace(replace(replace(digest, '-', ''), '@', ''), '_', ''), '.', ''))`;

/** Nearly all are spelled so, and are found by themselves. So this index has few rows, and costs an insert nothing but a look. */
const isSpelledOtherwise = `digest <> ${plainDigest}`;

/** A pattern of a route and a name of a release are an app's own; a longer one is cut. As long as a facet. */
const longestText = 200;
/** So many bytes of digests share an origin: some 2,000, or 500. Then what is evicted is a small part of what an app has. */
const originBytes = 64 * 1024;
/** What an origin takes itself, with its index. */
export const newOriginBytes = 200;
/**
 * What a row takes besides its digest. Measured (bench/past-digests.ts) with 10 characters of digest and 2,000 faults: SQLite had 31
 * bytes for each of a million digests, PostgreSQL 138 for each of 100,000.
 */
const rowBytes = { sqlite: 21, postgres: 128 } as const satisfies Record<Engine, number>;

/** @param row what the row is called */
export function countPastBytes(row: string, engine: Engine): string {
  return `${rowBytes[engine]} + octet_length(${row}.digest)`;
}

/** Of a deleted error, whose row is `row`: the values of the tables' columns, in both engines' words. */
export function writePast(row: string) {
  return {
    isKept: `${row}.side = 'server' and ${row}.digest is not null and ${row}.fault is not null`,
    /** Of an error that was deleted before it followed its hash to another fault: a hash of the fault that it was of. */
    hash: `coalesce(
      (select hash from fault_hash where app = ${row}.app and hash = ${row}.fingerprint),
      (select hash from fault_hash where fault = ${row}.fault limit 1))`,
    route: `substr(${row}.route, 1, ${longestText})`,
    release: `substr(${row}.release, 1, ${longestText})`,
    seconds: `cast(${row}.time as bigint) / 1000`,
  };
}

/** The newest of an origin's rows that has room. @param of an alias with these columns */
export function findOrigin(of: string): string {
  return `select max(id) from past_origin where past_origin.app = ${of}.app and past_origin.hash = ${of}.hash
    and past_origin.route = ${of}.route and past_origin.release = ${of}.release and gone = 0 and bytes < ${originBytes}`;
}

const old = writePast('old');
const gone = `(select old.app as app, ${old.hash} as hash, ${old.route} as route, ${old.release} as release) as lost`;

/** What browsers report has no such rows: they would be a stranger's to fill. */
const keepPast = `create trigger event_past after delete on event when ${old.isKept} begin
  insert into past_origin (app, hash, route, release, bytes, time, gone)
    select app, hash, route, release, ${newOriginBytes}, 0, 0 from ${gone}
    where hash is not null and (${findOrigin('lost')}) is null;
  insert into past_digest (digest, origin, time, span, count)
    select old.digest, (${findOrigin('lost')}), ${old.seconds}, 0, 1 from ${gone} where hash is not null
    on conflict (digest, origin) do update set
      span = max(time, excluded.time) - min(time - span, excluded.time), time = max(time, excluded.time), count = count + 1;
end`;

/** An origin's share of `kept_app`. @param bytes what is added */
function addBytes(bytes: string): string {
  return `insert into kept_app (side, of_app, rows, bytes) values ('past-digest', new.app, 0, ${bytes})
    on conflict (side, of_app) do update set bytes = bytes + excluded.bytes;`;
}

export const pastTriggers: readonly string[] = [
  keepPast,
  `create trigger past_digest_added after insert on past_digest begin
    update past_origin set bytes = bytes + ${countPastBytes('new', 'sqlite')}, time = max(time, new.time) where id = new.origin;
  end`,
  `create trigger past_origin_added after insert on past_origin when new.gone = 0 begin ${addBytes('new.bytes')} end`,
  `create trigger past_origin_changed after update of bytes on past_origin when new.gone = 0 begin
    ${addBytes('new.bytes - old.bytes')}
  end`,
  `create trigger past_origin_gone after update of gone on past_origin when old.gone = 0 and new.gone = 1 begin
    ${addBytes('-old.bytes')}
  end`,
];

/**
 * Next's number, of a digest with a suffix: `2338734591@E394`. The words are those of the index below. `rtrim` takes off all of these
 * characters at the end, in both databases.
 */
const bareNumber = `rtrim(rtrim(digest, '0123456789'), '@ABCDEFGHIJKLMNOPQRSTUVWXYZ')`;
const isSuffixed = `digest <> replace(digest, '@', '')`;

/** From one app to the next, and to its latest: however many digests one app has that are spelled alike, they hide no other app's. */
export const typedDigestIndexes: readonly string[] = [
  `event_spelled on event ((${plainDigest}), side, app, received_at) where ${isSpelledOtherwise}`,
  `event_suffixed on event ((${bareNumber}), side, app, received_at) where ${isSuffixed}`,
];

export const pastDigestIndexes = [
  'past_origin_hash on past_origin (app, hash)',
  'past_origin_gone on past_origin (id) where gone = 1',
  `past_digest_spelled on past_digest ((${plainDigest})) where ${isSpelledOtherwise}`,
  ...typedDigestIndexes,
];

export const isSpelledOtherwiseSql = sql.raw<boolean>(isSpelledOtherwise);
export const plainDigestSql = sql.raw<string>(plainDigest);
export const isSuffixedSql = sql.raw<boolean>(isSuffixed);
export const bareNumberSql = sql.raw<string>(bareNumber);

/** Marks the origin of an app that was silent for longest. */
export async function evictOrigin(db: Kysely<Tables>, app: string): Promise<void> {
  await sql`update past_origin set gone = 1 where id in (
    select id from past_origin where app = ${app} and gone = 0 order by time, id limit 1)`.execute(db);
}

/** Where the sweep of a database is: after this digest, and which origins it began with. */
type Sweep = { readonly after: string; readonly origins: readonly number[] };

const sweeps = new WeakMap<Kysely<Tables>, Sweep>();

/** Digests that one step looks at: some milliseconds. */
const sweptAtOnce = 2_000;

/**
 * One step through the digests in their order: those of origins that are gone are deleted, and at its end these origins.
 * @returns false when nothing is left to delete
 */
export async function sweepPastDigests(db: Kysely<Tables>): Promise<boolean> {
  const sweep = sweeps.get(db) ?? (await beginSweep(db));
  if (!sweep) return false;
  const last = await db
    .selectFrom('past_digest')
    .select('digest')
    .where('digest', '>', sweep.after)
    .orderBy('digest')
    .offset(sweptAtOnce - 1)
    .limit(1)
    .executeTakeFirst();
  const upTo = last ? sql`and digest <= ${last.digest}` : sql``;
  await sql`delete from past_digest where digest > ${sweep.after} ${upTo}
    and origin in (select id from past_origin where gone = 1)`.execute(db);
  if (last) sweeps.set(db, { ...sweep, after: last.digest });
  else {
    await db.deleteFrom('past_origin').where('id', 'in', sweep.origins).execute();
    sweeps.delete(db);
  }
  return true;
}

async function beginSweep(db: Kysely<Tables>): Promise<Sweep | undefined> {
  const { rows } = await sql<{ id: number }>`select id from past_origin where gone = 1 limit ${sweptAtOnce}`.execute(
    db,
  );
  return rows.length === 0 ? undefined : { after: '', origins: rows.map(({ id }) => id) };
}
