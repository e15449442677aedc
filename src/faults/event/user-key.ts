import 'server-only';

import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import type { Store } from '#src/store/open-store.ts';

/**
 * Tells users apart without saying who they are. A plain hash of an e-mail address would be found by trying addresses; the key of
 * this one is a file of this server's own, which is in no backup. Who deletes the file counts all users anew. Servers that share a
 * PostgreSQL have one key, a row there, so that a user who is sent to each of them is counted once.
 */
const keyFile = 'user-key';
const keyBytes = 32;

let known: { readonly folder: string; readonly key: KeyObject | undefined } | undefined;

function isNodeError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Made when the first user is counted. Another process may be the one that makes it. */
function readOrMakeKey(file: string): KeyObject {
  try {
    writeFileSync(file, randomBytes(keyBytes).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== keyBytes) throw new Error(`${file} has no key of ${keyBytes} bytes: delete it`);
  return createSecretKey(key);
}

let shared: KeyObject | undefined;

/** Called at the start, where the database is shared. The first server makes the key. */
export async function shareUserKey({ db }: Store): Promise<void> {
  const made = randomBytes(keyBytes).toString('hex');
  await db
    .insertInto('shared_value')
    .values({ name: 'user-key', value: made })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db.selectFrom('shared_value').select('value').where('name', '=', 'user-key').executeTakeFirst();
  shared = createSecretKey(Buffer.from(row?.value ?? made, 'hex'));
}

function findKey(): KeyObject | undefined {
  if (shared) return shared;
  const folder = dataFolder();
  if (known?.folder === folder) return known.key;
  try {
    known = { folder, key: readOrMakeKey(path.join(folder, keyFile)) };
  } catch (error) {
    // A full disk, or a file that somebody changed: errors are worth more than the count of their users.
    writeLog('warn', 'users-not-counted', { reason: describeError(error) });
    known = { folder, key: undefined };
  }
  return known.key;
}

/** 64 bits: enough to tell a thousand users of one fault apart. Null when there is no key. */
export function toUserKey(app: string, user: string): string | null {
  const key = findKey();
  return key ? createHmac('sha256', key).update(`${app}\n${user}`).digest('hex').slice(0, 16) : null;
}
