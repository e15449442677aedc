import crypto from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { provideAway } from '#src/store/known-away.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { findPasswordFlaw, hasPassword, matchPassword, readPasswordState, setPassword } from './password.ts';
import { sessionsOf } from './sessions.ts';
import { signIn } from './sign-in.ts';

const good = 'heron ladder seventeen';
async function isPassword(opened: Store, typed: string): Promise<boolean> {
  return (await matchPassword(opened, typed)) !== undefined;
}

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-password-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  store = await openStore(folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('a password', () => {
  it('is recognised, and nothing else is', async () => {
    expect([await hasPassword(), await isPassword(store, good)]).toEqual([false, false]);
    await setPassword(store, good);
    expect(await hasPassword()).toBe(true);
    expect(await isPassword(store, good)).toBe(true);
    for (const wrong of ['', `${good} `, good.toUpperCase(), good.slice(0, -1), 'x'.repeat(100_000)]) {
      expect(await isPassword(store, wrong)).toBe(false);
    }
  });

  it('is not known while the database does not answer, whether that is known or just found out', async () => {
    const stop = provideAway(store, () => true);
    expect([await readPasswordState(), await hasPassword()]).toEqual(['unknown', true]);
    stop();
    expect(await readPasswordState()).toBe('none');
    vi.spyOn(store.db, 'selectFrom').mockImplementation(() => {
      throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    });
    expect(await readPasswordState()).toBe('unknown');
  });

  it('is the same however the keyboard composes its letters', async () => {
    await setPassword(store, 'caf\u00e9 ladder seventeen');
    expect(await isPassword(store, 'cafe\u0301 ladder seventeen')).toBe(true);
  });

  it('stands in the database as an argon2id hash with a salt of its own', async () => {
    await setPassword(store, good);
    const first = await store.db.selectFrom('password').selectAll().executeTakeFirstOrThrow();
    expect(first).toMatchObject({ memory_kib: 19_456, passes: 2, parallelism: 1 });
    await setPassword(store, good);
    const rows = await store.db.selectFrom('password').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]?.salt).not.toBe(first.salt);
    expect(rows[0]?.hash).not.toBe(first.hash);
  });

  it('that is changed while a sign-in is in flight opens nothing', async () => {
    await setPassword(store, good);
    const browser = { userAgent: '', address: '', cookies: [] };
    const sessions = sessionsOf(store);
    const { open } = sessions;
    vi.spyOn(sessions, 'open').mockImplementationOnce(async (...given) => {
      await setPassword(store, 'otter ladder seventeen');
      return open(...given);
    });
    expect(await signIn({ kind: 'password', password: good }, browser)).toEqual({ problem: 'wrong-password' });
    expect(await sessions.list()).toEqual([]);
    expect(await signIn({ kind: 'password', password: 'otter ladder seventeen' }, browser)).toHaveProperty('secret');
  });

  it('signs everybody out when it changes', async () => {
    const sessions = sessionsOf(store);
    const from = { openedBy: 'login-link', userAgent: '', address: '' } as const;
    const opened = await sessions.open(from, [], async () => undefined);
    if ('problem' in opened) throw new Error('refused');
    expect(await setPassword(store, good)).toBe(1);
    expect(await sessions.find(opened.secret)).toBeUndefined();
  });

  it('costs as much to try when none is set', async () => {
    const argon2 = vi.spyOn(crypto, 'argon2');
    await isPassword(store, good);
    await setPassword(store, good);
    await isPassword(store, 'x'.repeat(5000));
    const costs = argon2.mock.calls.map(([name, { memory, passes }]) => [name, memory, passes]);
    expect(costs).toEqual(Array.from({ length: 3 }, () => ['argon2id', 19_456, 2]));
  });

  it('is hashed two at a time', async () => {
    const argon2 = vi.spyOn(crypto, 'argon2');
    let most = 0;
    let running = 0;
    argon2.mockImplementation((_algorithm, _parameters, callback) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        callback(null, Buffer.alloc(32));
      }, 5);
    });
    await Promise.all(Array.from({ length: 9 }, () => isPassword(store, good)));
    expect([most, running, argon2.mock.calls.length]).toEqual([2, 0, 9]);
  });
});

describe('findPasswordFlaw', () => {
  it.each([
    ['', 'too-short'],
    ['short words', 'too-short'],
    ['x'.repeat(257), 'too-long'],
    ['aaaaaaaaaaaaaaaa', 'obvious'],
    ['121212121212', 'obvious'],
    ['password1234', 'obvious'],
    ['Passw0rd2026!', 'obvious'],
    ['qwertyuiop123', 'obvious'],
    ['flightrecorder1', 'obvious'],
    ['Administrator!', 'obvious'],
    [good, undefined],
    ['korrekt-pferd-batterie', undefined],
    ['\u{1f9ed}'.repeat(6) + 'abcdefgh', undefined],
  ])('%j is %s', (password, flaw) => {
    expect(findPasswordFlaw(password)).toBe(flaw);
  });
});
