import 'server-only';

import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';

import type { Transaction } from 'kysely';

import { isKnownAway } from '#src/store/known-away.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { isNotAsked } from '#src/store/postgres/postgres-errors.ts';
import type { PasswordTable, Tables } from '#src/store/schema.ts';

import { systemClocks, type WallClock } from './clock.ts';
import { sessionsOf } from './sessions.ts';

/**
 * The operator's password. It is optional: a login link works without one. It is hashed with argon2id with the
 * parameters of OWASP's cheat sheet for small machines: 19 MiB, two passes, one lane; some 20 ms.
 */
const costs = { memory_kib: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const saltBytes = 16;
/** 38 MiB at most: a machine with 256 MiB must keep serving while somebody guesses. */
const hashesAtOnce = 2;
/** NIST SP 800-63B asks for 15 where the password is the only factor, OWASP for 8. Guessing is limited here. */
const shortest = 12;
/** Longer than what password managers make, and small enough for the form. */
const longest = 256;
/** Distinct characters: `aaaaaaaaaaaa` and `121212121212` are long but easy to guess. */
const fewestDistinct = 6;
/** The beginnings of passwords on lists of leaked ones, when they can be made twelve characters long. */
const obviousPattern =
  /^(?:(?:password|passwort|passw0rd|p@ssw0rd|qwerty\w*|qwertz\w*|letmein|welcome|iloveyou|changeme|flight[ -]?recorder|operator|admin(?:istrator)?|secret|0?123456789\d*|1q2w3e\w*|abcdefg\w*)[\d!@#$%&*.?_ -]*)+$/i;

export type PasswordFlaw = 'too-short' | 'too-long' | 'obvious';

/** Why `password` is not accepted; undefined when it is. */
export function findPasswordFlaw(password: string): PasswordFlaw | undefined {
  const characters = [...password];
  if (characters.length < shortest) return 'too-short';
  if (characters.length > longest) return 'too-long';
  if (new Set(characters).size < fewestDistinct || obviousPattern.test(password)) return 'obvious';
  return undefined;
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= hashesAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The place goes directly to the next one in the queue, so that no newcomer can take it.
    if (next) next();
    else running -= 1;
  }
}

type Parameters = Pick<PasswordTable, 'memory_kib' | 'passes' | 'parallelism'>;

function hashPassword(password: string, salt: Buffer, parameters: Parameters): Promise<Buffer> {
  const { argon2 } = crypto;
  if (typeof argon2 !== 'function') throw new Error(`Passwords need Node 24.7 or newer; this is ${process.version}`);
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        argon2(
          'argon2id',
          {
            message: password.normalize('NFC'),
            nonce: salt,
            parallelism: parameters.parallelism,
            tagLength: hashBytes,
            memory: parameters.memory_kib,
            passes: parameters.passes,
          },
          (error, hash) => (error ? reject(error) : resolve(hash)),
        );
      }),
  );
}

/**
 * Sets or changes the password. This signs everybody out: changing the password is how an operator ends another
 * person's access.
 * @returns how many sessions ended
 * @throws when this Node has no argon2
 */
export async function setPassword(store: Store, password: string, now: WallClock = systemClocks.wall): Promise<number> {
  const salt = randomBytes(saltBytes);
  const hash = await hashPassword(password, salt, costs);
  const row: PasswordTable = {
    account: 'operator',
    ...costs,
    salt: salt.toString('base64'),
    hash: hash.toString('base64'),
    changed: now(),
  };
  return sessionsOf(store).revokeAll(async (trx) => {
    await trx
      .insertInto('password')
      .values(row)
      .onConflict((conflict) => conflict.column('account').doUpdateSet(row))
      .execute();
  });
}

/** Whether a password is set; `unknown` while the database is away. This is no secret: the login page shows it to everybody. */
export async function readPasswordState(): Promise<'set' | 'none' | 'unknown'> {
  const store = await openStore();
  if (isKnownAway(store)) return 'unknown';
  try {
    const found = await store.db.selectFrom('password').select('account').executeTakeFirst();
    return found ? 'set' : 'none';
  } catch (error) {
    if (isNotAsked(error)) return 'unknown';
    throw error;
  }
}

/** Where nobody knows, there is a field for it. */
export async function hasPassword(): Promise<boolean> {
  return (await readPasswordState()) !== 'none';
}

/**
 * Which password `typed` is: the value to pass to `isCurrentPassword`; undefined when it is wrong. It does the same
 * work when no password is set, so the time of an answer does not tell whether one is set.
 */
export async function matchPassword(store: Store, typed: string): Promise<string | undefined> {
  const row = await store.db.selectFrom('password').selectAll().executeTakeFirst();
  const salt = row ? Buffer.from(row.salt, 'base64') : randomBytes(saltBytes);
  const expected = row ? Buffer.from(row.hash, 'base64') : randomBytes(hashBytes);
  // Text that is longer than a password may be is always wrong; its length must not cost anything.
  const found = await hashPassword([...typed].length > longest ? '' : typed, salt, row ?? costs);
  const isRight = found.byteLength === expected.byteLength && timingSafeEqual(found, expected);
  return isRight ? row?.hash : undefined;
}

/** Whether it is still the password in this transaction: changing the password meanwhile must end this sign-in too. */
export async function isCurrentPassword(trx: Transaction<Tables>, matched: string): Promise<boolean> {
  const row = await trx.selectFrom('password').select('hash').executeTakeFirst();
  return row?.hash === matched;
}
