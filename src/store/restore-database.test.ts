import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { copyDatabase } from './copy-database.ts';
import { takeInstance } from './instance.ts';
import { openStore } from './open-store.ts';
import { restoreDatabase } from './restore-database.ts';

let folder: string;
let data: string;
let backup: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-restore-'));
  data = path.join(folder, 'data');
  backup = path.join(folder, 'backup.db');
  await addRow('kept');
  await copyDatabase(path.join(data, 'flight.db'), backup);
  await addRow('after the backup');
});

afterEach(() => rmSync(folder, { recursive: true }));

async function addRow(type: string): Promise<void> {
  const store = await openStore(data);
  await store.db.insertInto('outcome').values({ source: 'client', type, reason: 'r', last_time: 1 }).execute();
  await store.close();
}

async function listRows(): Promise<string[]> {
  const store = await openStore(data);
  const rows = await store.db.selectFrom('outcome').select('type').execute();
  await store.close();
  return rows.map((row) => row.type);
}

it('puts the backup in the place of the database, which it keeps', async () => {
  const { replaced } = await restoreDatabase(data, backup);
  expect(await listRows()).toEqual(['kept']);
  expect(statSync(path.join(data, 'flight.db')).mode & 0o777).toBe(0o600);
  const before = new DatabaseSync(path.join(data, replaced ?? ''), { readOnly: true });
  expect(before.prepare('select type from outcome').all()).toHaveLength(2);
  before.close();
});

it('brings no session, no login link and no token back to life', async () => {
  rmSync(backup);
  const store = await openStore(data);
  const times = { created: 1, expires: Date.now() + 60_000 };
  const session = { id: 's', ...times, last_seen: 1, opened_by: 'password', user_agent: '', address: '' } as const;
  await store.db.insertInto('session').values(session).execute();
  await store.db
    .insertInto('login_link')
    .values({ id: 'l', ...times, used: null })
    .execute();
  const token = { id: 't', name: 'n', hash: 'h', apps_json: null, ...times, last_used: null };
  await store.db.insertInto('api_token').values(token).execute();
  await store.close();
  await copyDatabase(path.join(data, 'flight.db'), backup);
  await restoreDatabase(data, backup);
  const restored = await openStore(data);
  expect(await restored.db.selectFrom('session').selectAll().execute()).toEqual([]);
  expect(await restored.db.selectFrom('login_link').selectAll().execute()).toEqual([]);
  expect(await restored.db.selectFrom('api_token').selectAll().execute()).toEqual([]);
  await restored.close();
});

it('does not let the log of a killed server into it', async () => {
  const store = await openStore(data);
  await store.db.insertInto('outcome').values({ source: 'client', type: 'log', reason: 'r', last_time: 1 }).execute();
  const killed = path.join(folder, 'killed');
  cpSync(data, killed, { recursive: true });
  await store.close();
  rmSync(data, { recursive: true });
  cpSync(killed, data, { recursive: true });
  await restoreDatabase(data, backup);
  expect(await listRows()).toEqual(['kept']);
  expect(readdirSync(data).filter((name) => name.endsWith('.db-wal'))).toHaveLength(1);
});

it('takes the place of a damaged database, and of none', async () => {
  writeFileSync(path.join(data, 'flight.db'), '');
  await restoreDatabase(data, backup);
  expect(await listRows()).toEqual(['kept']);
  rmSync(data, { recursive: true });
  expect(await restoreDatabase(data, backup)).toEqual({ replaced: undefined, maps: { taken: 0, refused: 0 } });
  expect(await listRows()).toEqual(['kept']);
});

it.each(['damaged', 'missing', 'of another application'])('changes nothing when the backup is %s', async (what) => {
  rmSync(backup);
  if (what === 'damaged') writeFileSync(backup, 'x'.repeat(10_000));
  if (what === 'of another application') {
    const other = new DatabaseSync(backup);
    other.exec('create table bookmarks (id)');
    other.close();
  }
  await expect(restoreDatabase(data, backup)).rejects.toThrow(/damaged|no backup|another application/);
  expect(await listRows()).toHaveLength(2);
});

it('refuses while a server runs', async () => {
  const instance = takeInstance(data, { address: { hostname: '127.0.0.1', port: 1 }, origin: 'http://127.0.0.1:1' });
  const elsewhere = path.join(folder, 'elsewhere');
  cpSync(data, elsewhere, { recursive: true });
  copyFileSync(path.join(data, 'instance.json'), path.join(elsewhere, 'instance.json'));
  const lock = new DatabaseSync(path.join(elsewhere, 'instance.lock'));
  lock.exec('begin exclusive');
  await expect(restoreDatabase(elsewhere, backup)).rejects.toThrow(/in use by the server with process id \d+/);
  lock.close();
  instance.release();
  expect(existsSync(path.join(elsewhere, 'flight-restored.db'))).toBe(false);
});

it('lets what the backup holds be as old as it was', async () => {
  writeFileSync(path.join(data, 'age.json'), JSON.stringify({ time: Date.now() }));
  await restoreDatabase(data, backup);
  expect(existsSync(path.join(data, 'age.json'))).toBe(false);
});
