import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { isSqliteRecent, openStore, type Store } from './open-store.ts';

let folder: string;
let opened: Store[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-store-'));
  opened = [];
});

afterEach(async () => {
  for (const store of opened) await store.close();
  rmSync(folder, { recursive: true });
});

async function open(at: string = folder): Promise<Store> {
  const store = await openStore(at);
  opened.push(store);
  return store;
}

async function readPragma(store: Store, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(store.db);
  return Object.values(rows[0] ?? {})[0];
}

describe('openStore', () => {
  it('creates the folder, readable by its owner alone, and opens a durable database in it', async () => {
    const data = path.join(folder, 'a', 'b');
    const store = await open(data);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(await readPragma(store, 'journal_mode')).toBe('wal');
    expect(await readPragma(store, 'synchronous')).toBe(2);
    expect(await readPragma(store, 'foreign_keys')).toBe(1);
    expect(await readPragma(store, 'busy_timeout')).toBe(1000);
    expect(await readPragma(store, 'auto_vacuum')).toBe(2);
    expect(await readPragma(store, 'page_size')).toBe(8192);
  });

  it('gives every caller the same store, also while it is still opening', async () => {
    const [first, second] = await Promise.all([open(), openStore(folder)]);
    expect(second).toBe(first);
  });

  it('opens nothing on import', async () => {
    process.env['FLIGHT_DATA'] = path.join(folder, 'never');
    vi.resetModules();
    await import('./open-store.ts');
    delete process.env['FLIGHT_DATA'];
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says in one line which folder cannot be written and what to do', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const failure = openStore(path.join(file, 'data'));
    await expect(failure).rejects.toThrow(/^The data folder .*file\/data cannot be written \(ENOTDIR.*FLIGHT_DATA.*$/);
  });

  it.runIf(existsSync('/proc'))('says it also where making a folder has no end', async () => {
    await expect(openStore('/proc/flight/data')).rejects.toThrow(/^The data folder .* cannot be written/);
  });

  it('says so when the file is not a database, and tries again later', async () => {
    const file = path.join(folder, 'flight.db');
    writeFileSync(file, 'not a database, but longer than the sixteen bytes that SQLite looks at first');
    await expect(openStore(folder)).rejects.toThrow(
      /^The database .*flight\.db is damaged: it does not begin as a database does\. .*$/,
    );
    rmSync(file);
    await expect(open()).resolves.toHaveProperty('db');
  });

  it('refuses a database that a newer build wrote, and leaves it as it is', async () => {
    const file = path.join(folder, 'flight.db');
    const newer = new DatabaseSync(file);
    newer.exec(
      'create table unknown_to_us (id integer); pragma user_version = 999; pragma application_id = 0x464c5452',
    );
    newer.close();
    await expect(openStore(folder)).rejects.toThrow('The database has schema version 999, this build knows up to');
    const after = new DatabaseSync(file);
    expect(after.prepare('select name from sqlite_schema').all()).toEqual([{ name: 'unknown_to_us' }]);
    after.close();
  });
});

describe('releasePages', () => {
  it('gives back what deletions left free', async () => {
    const store = await open();
    async function countPages(): Promise<number> {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
      return rows[0]?.page_count ?? 0;
    }
    const empty = await countPages();
    const row = { source: 'receiver', reason: 'r', last_time: 1 } as const;
    for (let index = 0; index < 40; index += 1) {
      await store.db
        .insertInto('outcome')
        .values({ ...row, type: `${index}`.padEnd(8_000, 'x') })
        .execute();
    }
    const full = await countPages();
    expect(full).toBeGreaterThan(empty + 40);
    await store.db.deleteFrom('outcome').execute();
    await store.releasePages();
    expect(await countPages()).toBeLessThan(full - 20);
  });
});

describe('isSqliteRecent', () => {
  it.each([
    ['3.51.3', true],
    ['3.51.10', true],
    ['3.53.4', true],
    ['4.0', true],
    ['3.51.2', false],
    ['3.9.9', false],
  ])('%s: %s', (version, recent) => {
    expect(isSqliteRecent(version)).toBe(recent);
  });
});
