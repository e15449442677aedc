import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

export type OfHash = { readonly app: string; readonly hash: string };

/** Gives the counts of a part to the hash that was split, after its rows, in slices as well: users and digests may be as many. */

async function joinUsers(trx: Kysely<Tables>, { app, hash }: OfHash, to: string, limit: number): Promise<number> {
  const users = await trx
    .selectFrom('fault_user')
    .select('user_key')
    .where('app', '=', app)
    .where('hash', '=', hash)
    .limit(limit)
    .execute();
  if (users.length === 0) return 0;
  const keys = users.map(({ user_key }) => user_key);
  const values = keys.map((user_key) => ({ app, hash: to, user_key }));
  await trx
    .insertInto('fault_user')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .deleteFrom('fault_user')
    .where('app', '=', app)
    .where('hash', '=', hash)
    .where('user_key', 'in', keys)
    .execute();
  return users.length;
}

/** Their digests follow: a row names its origin. */
async function joinPast(trx: Kysely<Tables>, { app, hash }: OfHash, to: string): Promise<void> {
  await trx.updateTable('past_origin').set({ hash: to }).where('app', '=', app).where('hash', '=', hash).execute();
}

/** At most a row for each of the latest 720 hours, and for each day. */
async function joinHours(trx: Kysely<Tables>, { app, hash }: OfHash, to: string): Promise<void> {
  await sql`insert into fault_hour (app, hash, hour, count, untrusted)
    select app, ${to}, hour, count, untrusted from fault_hour where app = ${app} and hash = ${hash}
    on conflict (app, hash, hour) do update set
      count = fault_hour.count + excluded.count, untrusted = fault_hour.untrusted + excluded.untrusted`.execute(trx);
  await sql`update fault_hash set
      last_time = later.last_time, last_release = later.last_release
    from (select last_time, last_release from fault_hash where app = ${app} and hash = ${hash}) as later
    where fault_hash.app = ${app} and fault_hash.hash = ${to} and fault_hash.last_time < later.last_time`.execute(trx);
}

/** @returns whether all is done, and the part gone */
export async function joinCounts(trx: Kysely<Tables>, of: OfHash, to: string, limit: number): Promise<boolean> {
  if ((await joinUsers(trx, of, to, limit)) === limit) return false;
  await joinPast(trx, of, to);
  await joinHours(trx, of, to);
  for (const table of ['fault_hour', 'fault_facet', 'fault_hash'] as const) {
    await trx.deleteFrom(table).where('app', '=', of.app).where('hash', '=', of.hash).execute();
  }
  return true;
}
