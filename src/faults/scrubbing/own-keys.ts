import 'server-only';

import type { Transaction } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { normaliseKey, setOwnKeys } from './scrub-keys.ts';

/**
 * The operator's names of keys whose values are removed. They are in the database; the scrubber has a copy in memory, since it asks for
 * each word of a report. The copy is replaced when this process changes the table, and within a second when another one does.
 */

/** Each is compared with every name in a report. Nobody has so many kinds of secrets. */
export const ownKeysLimit = 100;
export const keyLengthLimit = 64;
/** A single letter is a name in half of all texts. */
const shortestKey = 2;
const lookEveryMs = 1_000;

async function readKeys({ db }: Pick<Store, 'db'>): Promise<readonly string[]> {
  const rows = await db.selectFrom('scrub_key').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** @returns a function that stops it */
export async function watchOwnKeys(store: Store): Promise<() => void> {
  let version = store.dataVersion();
  setOwnKeys(await readKeys(store));
  async function look(): Promise<void> {
    const found = store.dataVersion();
    if (found === version) return;
    version = found;
    setOwnKeys(await readKeys(store));
  }
  // Reading fails when the store was closed: there is nothing to scrub any more.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

export async function listOwnKeys(): Promise<readonly string[]> {
  requireOperator();
  return readKeys(await openStore());
}

export type AddKeysResult =
  | { readonly type: 'added'; readonly names: readonly string[] }
  | { readonly type: 'refused'; readonly reason: 'nothing' | 'too-many' }
  | { readonly type: 'refused'; readonly reason: 'not-a-name'; readonly name: string };

function isKeyName(name: string): boolean {
  return (
    name.length <= keyLengthLimit && /^[\p{L}\p{N}\s._-]+$/u.test(name) && normaliseKey(name).length >= shortestKey
  );
}

async function insertKeys(trx: Transaction<Tables>, names: readonly string[]): Promise<AddKeysResult> {
  const known = new Set((await readKeys({ db: trx })).map(normaliseKey));
  const added = [...new Map(names.map((name) => [normaliseKey(name), name]))].filter(([key]) => !known.has(key));
  if (added.length === 0) return { type: 'refused', reason: 'nothing' };
  if (known.size + added.length > ownKeysLimit) return { type: 'refused', reason: 'too-many' };
  const rows = added.map(([, name]) => ({ name, created: Date.now() }));
  await trx.insertInto('scrub_key').values(rows).execute();
  return { type: 'added', names: rows.map(({ name }) => name) };
}

/** @param text one name a line */
export async function addOwnKeys(text: string): Promise<AddKeysResult> {
  requireOperator();
  const names = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wrong = names.find((name) => !isKeyName(name));
  if (wrong !== undefined) return { type: 'refused', reason: 'not-a-name', name: wrong };
  const store = await openStore();
  const result = await store.transact((trx) => insertKeys(trx, names));
  setOwnKeys(await readKeys(store));
  return result;
}

/** @returns false when it was not there */
export async function removeOwnKey(name: string): Promise<boolean> {
  requireOperator();
  const store = await openStore();
  const { numDeletedRows } = await store.db.deleteFrom('scrub_key').where('name', '=', name).executeTakeFirst();
  setOwnKeys(await readKeys(store));
  return numDeletedRows > 0n;
}
