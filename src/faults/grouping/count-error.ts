import 'server-only';

import { type Kysely, sql } from 'kysely';

import { compileWith } from '#src/store/compile-with.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';

import { hourOf } from './hours.ts';
import { countUsers } from './sum-fault.ts';

/** What is counted of an error beside its row: hours and users of its hash, and when its release was first heard of. */

/** Counting users further would cost a row each and tell nobody more. */
export const usersCounted = 1_000;

type OfHash = { readonly app: string; readonly hash: string };

const addToHour = compileWith<OfHash & { hour: number; count: number; untrusted: number }>((db, value) =>
  db
    .insertInto('fault_hour')
    .values({
      app: value('app'),
      hash: value('hash'),
      hour: value('hour'),
      count: value('count'),
      untrusted: value('untrusted'),
    })
    .onConflict((conflict) =>
      conflict.columns(['app', 'hash', 'hour']).doUpdateSet({
        count: sql`fault_hour.count + excluded.count`,
        untrusted: sql`fault_hour.untrusted + excluded.untrusted`,
      }),
    ),
);

export async function countHour(
  trx: Kysely<Tables>,
  { app, hash, side, receivedAt }: OfHash & { readonly side: 'server' | 'browser'; readonly receivedAt: number },
): Promise<void> {
  const counts = side === 'server' ? { count: 1, untrusted: 0 } : { count: 0, untrusted: 1 };
  await addToHour(trx, { app, hash, hour: hourOf(receivedAt), ...counts });
}

const findUser = compileWith<OfHash & { user: string }>((db, value) =>
  db
    .selectFrom('fault_user')
    .select('user_key')
    .where('app', '=', value('app'))
    .where('hash', '=', value('hash'))
    .where('user_key', '=', value('user')),
);

/** By another hash of the fault. */
const findUserOfFault = compileWith<{ fault: string; user: string }>((db, value) =>
  db
    .selectFrom('fault_hash')
    .innerJoin('fault_user', (join) =>
      join.onRef('fault_user.app', '=', 'fault_hash.app').onRef('fault_user.hash', '=', 'fault_hash.hash'),
    )
    .select('fault_user.user_key')
    .where('fault_hash.fault', '=', value('fault'))
    .where('fault_user.user_key', '=', value('user'))
    .limit(1),
);

const countUsersOfHash = compileWith<OfHash, { users: number }>((db, value) =>
  db
    .selectFrom('fault_user')
    .select(({ fn }) => fn.countAll<number>().as('users'))
    .where('app', '=', value('app'))
    .where('hash', '=', value('hash')),
);

const addUser = compileWith<OfHash & { user: string }>((db, value) =>
  db.insertInto('fault_user').values({ app: value('app'), hash: value('hash'), user_key: value('user') }),
);

const forgetUsers = compileWith<OfHash>((db, value) =>
  db.deleteFrom('fault_user').where('app', '=', value('app')).where('hash', '=', value('hash')),
);

/**
 * When a server has what only browsers had reported: the users that they named are nobody's.
 * @returns how many users the fault has without them
 */
export async function forgetUntrustedUsers(
  trx: Kysely<Tables>,
  { fault, ...ofHash }: OfHash & { readonly fault: string },
): Promise<number> {
  await forgetUsers(trx, ofHash);
  return countUsers(trx, fault);
}

/** @returns whether the fault has one more user than before */
export async function countUser(
  trx: Kysely<Tables>,
  { app, hash, fault, user }: OfHash & { readonly fault: string; readonly user: string },
): Promise<boolean> {
  if ((await findUser(trx, { app, hash, user })).rows.length > 0) return false;
  const { users = 0 } = (await countUsersOfHash(trx, { app, hash })).rows[0] ?? {};
  if (users >= usersCounted) return false;
  const isKnown = (await findUserOfFault(trx, { fault, user })).rows.length > 0;
  await addUser(trx, { app, hash, user });
  return !isKnown;
}

type HeardRelease = {
  readonly app: string;
  /** Who named it. */
  readonly side: FaultTable['side'];
  readonly name: string;
  readonly time: number;
};

const addRelease = compileWith<HeardRelease>((db, value) =>
  db
    .insertInto('app_release')
    .values({ app: value('app'), side: value('side'), name: value('name'), first_time: value('time') })
    .onConflict((conflict) =>
      conflict
        .columns(['app', 'side', 'name'])
        .doUpdateSet({ first_time: sql`excluded.first_time` })
        .whereRef('app_release.first_time', '>', sql`excluded.first_time`),
    ),
);

/**
 * Of each app: the newest. Of what browsers name, as many as the form for resolving offers: anybody who knows an app's public key can make
 * up more. Of what servers name, several years of an app that is deployed every day.
 */
const releasesKept = { browser: 200, server: 2_000 } as const;
/** One is usual. */
const forgottenAtOnce = 1_000;

const forgetReleases = compileWith<{ app: string; side: FaultTable['side']; kept: number }>((db, value) =>
  db
    .deleteFrom('app_release')
    .where('app', '=', value('app'))
    .where('side', '=', value('side'))
    .where((eb) =>
      eb(
        'name',
        'in',
        eb
          .selectFrom('app_release as older')
          .select('older.name')
          .where('older.app', '=', value('app'))
          .where('older.side', '=', value('side'))
          .orderBy('older.first_time', 'desc')
          .orderBy('older.name')
          .limit(forgottenAtOnce)
          .offset(value('kept')),
      ),
    ),
);

/**
 * Servers' releases and those that browsers report are kept apart: an untrusted error must not make a release an old one before a server
 * has it, or the regression that comes with it would stay silent. Rows of an older database come later than they were received.
 */
export async function hearOfRelease(trx: Kysely<Tables>, heard: HeardRelease): Promise<void> {
  const { app, side, name } = heard;
  if (name === '') return;
  const { numAffectedRows } = await addRelease(trx, { app, side, name, time: heard.time });
  // Most errors name one that is known.
  if (numAffectedRows !== 0n) await forgetReleases(trx, { app, side, kept: releasesKept[side] });
}
