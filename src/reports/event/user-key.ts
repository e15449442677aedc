import 'server-only';

import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { dataFolder } from '#src/store/data-folder.ts';

/**
 * Tells users apart without saying who they are. A plain hash of an e-mail address would be found by trying addresses; the key of
 * this one is a file of this server's own, which is in no backup. Who deletes the file counts all users anew.
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

function findKey(): KeyObject | undefined {
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
