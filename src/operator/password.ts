import 'server-only';

import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';

import type { Transaction } from 'kysely';

import { openStore, type Store } from '#src/store/open-store.ts';
import type { PasswordTable, Tables } from '#src/store/schema.ts';

import { systemClocks, type WallClock } from './clock.ts';
import { sessionsOf } from './sessions.ts';

/**
 * The operator's password, where there is one: a login link does without. It is hashed with argon2id as OWASP's cheat
 * sheet has it for small machines: 19 MiB, two passes, one lane; some 20 ms.
 */
const costs = { memory_kib: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const saltBytes = 16;
/** 38 MiB at most: a box with 256 MiB has to keep serving while somebody guesses. */
const hashesAtOnce = 2;
/** NIST SP 800-63B asks for 15 where the password is all there is, OWASP for 8; guessing is limited here. */
const shortest = 12;
/** What fits a password manager's longest, and keeps the form small. */
const longest = 256;
/** Distinct characters: `aaaaaaaaaaaa` and `121212121212` are long and worth nothing. */
const fewestDistinct = 6;
/** What lists of leaked passwords begin with, as far as twelve characters can be made of it. */
const obviousPattern =
  /^(?:(?:password|passwort|passw0rd|p@ssw0rd|qwerty\w*|qwertz\w*|letmein|welcome|iloveyou|changeme|flight[ -]?recorder|operator|admin(?:istrator)?|secret|0?123456789\d*|1q2w3e\w*|abcdefg\w*)[\d!@#$%&*.?_ -]*)+$/i;

export type PasswordFlaw = 'too-short' | 'too-long' | 'obvious';

/** What speaks against `password`; undefined when nothing does. */
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
    // The place is handed on, so that nobody who comes now gets in between.
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
 * Sets or changes the password. Everybody is signed out by it: a changed password is how one throws somebody out.
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

/** Whether there is one. The login page says so to everybody: it shows a field for it. */
export async function hasPassword(): Promise<boolean> {
  const { db } = await openStore();
  return (await db.selectFrom('password').select('account').executeTakeFirst()) !== undefined;
}

/**
 * Which password `typed` is: what to ask `isCurrentPassword` about, undefined when it is wrong. As much work when none is
 * set as when there is one: the time of an answer does not tell which.
 */
export async function matchPassword(store: Store, typed: string): Promise<string | undefined> {
  const row = await store.db.selectFrom('password').selectAll().executeTakeFirst();
  const salt = row ? Buffer.from(row.salt, 'base64') : randomBytes(saltBytes);
  const expected = row ? Buffer.from(row.hash, 'base64') : randomBytes(hashBytes);
  // What is longer than a password may be is none; its length must not cost anything.
  const found = await hashPassword([...typed].length > longest ? '' : typed, salt, row ?? costs);
  const isRight = found.byteLength === expected.byteLength && timingSafeEqual(found, expected);
  return isRight ? row?.hash : undefined;
}

/** Whether it still is the password in this transaction: whoever changes it meanwhile throws everybody out. */
export async function isCurrentPassword(trx: Transaction<Tables>, matched: string): Promise<boolean> {
  const row = await trx.selectFrom('password').select('hash').executeTakeFirst();
  return row?.hash === matched;
}
