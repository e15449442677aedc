import 'server-only';

import { sql } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { toNetwork } from '#src/server/http/to-network.ts';
import { createBuckets, type BucketLimits } from '#src/server/http/token-bucket.ts';
import { isShared } from '#src/store/lease.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { timeOfDatabase } from '#src/store/time-of-database.ts';

/**
 * How often somebody may try to sign in. Nobody is ever locked out: a refused attempt may be repeated after seconds.
 * What one network tried takes nothing from another. Login links have a limit of their own, so an attack on the
 * password from many networks does not keep the operator from signing in with a link.
 *
 * Where several servers share a database, attempts at all of them count together, in its table `login_try`. What this server
 * refuses by its own count never reaches the database, so a flood costs it nothing. While the database does not answer, each
 * server counts alone; nobody can sign in then anyway, since sessions are rows.
 */
type Kind = 'password' | 'login-link';

/** 0, or the whole seconds until the next attempt may be made. */
type TakeAttempt = (address: string | undefined) => Promise<number>;

export type LoginLimits = Readonly<Record<Kind, TakeAttempt>>;

const limits = {
  // A person mistypes a few times in a row. Guessing gets 10 attempts a minute from one network and 1 a second from
  // all of them together, some 90 000 a day. A password of twelve characters that is on no list is safe against that.
  password: { own: { size: 10, perSecond: 1 / 6 }, shared: { size: 60, perSecond: 1 } },
  // Nobody guesses 256 bits. This limits the cost of looking links up.
  'login-link': { own: { size: 20, perSecond: 1 }, shared: { size: 200, perSecond: 20 } },
} as const satisfies Record<Kind, BucketLimits>;

/** Of all networks together. */
const everybody = '';
/** With one attempt in a hundred, rows that say nothing any more are deleted. */
const forgetShare = 0.01;

type Bucket = BucketLimits['own'];

/**
 * Takes a token of a bucket that is a row: `free_at` is when the bucket is full again. One statement, so that two attempts on
 * two servers never take the same token.
 */
async function takeShared({ db }: Store, kind: Kind, network: string, { size, perSecond }: Bucket): Promise<number> {
  const tokenMs = Math.round(1_000 / perSecond);
  const longestMs = (size - 1) * tokenMs;
  const databaseTime = timeOfDatabase(db);
  const from = sql<number>`case when login_try.free_at < ${databaseTime} then ${databaseTime} else login_try.free_at end`;
  const taken = await db
    .insertInto('login_try')
    .values({ kind, network, free_at: sql<number>`${databaseTime} + cast(${tokenMs} as bigint)` })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'network'])
        .doUpdateSet({ free_at: sql<number>`${from} + cast(${tokenMs} as bigint)` })
        .where(sql<number>`login_try.free_at`, '<=', sql<number>`${databaseTime} + cast(${longestMs} as bigint)`),
    )
    .returning('free_at')
    .executeTakeFirst();
  if (taken) return 0;
  const row = await db
    .selectFrom('login_try')
    .select(sql<number>`free_at - ${databaseTime}`.as('left'))
    .where('kind', '=', kind)
    .where('network', '=', network)
    .executeTakeFirst();
  return Math.max(1, Math.ceil(((row?.left ?? 0) - longestMs) / 1_000));
}

/** Full buckets. */
async function forgetFull({ db }: Store): Promise<void> {
  await db.deleteFrom('login_try').where('free_at', '<', timeOfDatabase(db)).execute();
}

async function takeTogether(store: Store, kind: Kind, address: string | undefined): Promise<number> {
  const { own, shared } = limits[kind];
  try {
    if (Math.random() < forgetShare) await forgetFull(store);
    const wait = address === undefined ? 0 : await takeShared(store, kind, toNetwork(address), own);
    return wait || (await takeShared(store, kind, everybody, shared));
  } catch (error) {
    writeLog('warn', 'login-tries-not-shared', { reason: describeError(error) });
    return 0;
  }
}

function createLimit(kind: Kind): TakeAttempt {
  const take = createBuckets(limits[kind]);
  return async function takeAttempt(address) {
    const wait = take(address);
    if (wait > 0) return wait;
    const store = await openStore();
    return isShared(store) ? takeTogether(store, kind, address) : 0;
  };
}

export function createLoginLimits(): LoginLimits {
  return { password: createLimit('password'), 'login-link': createLimit('login-link') };
}
