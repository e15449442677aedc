import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createDatabase, inspectDatabase } from './database-file.ts';
import { takeInstance } from './instance.ts';
import { migrations, versionAfter } from './migrations.ts';
import { openStore } from './open-store.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-file-'));
  file = path.join(folder, 'flight.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The database, its log and its index. */
function hashFiles(): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name.startsWith('flight'));
  function hash(name: string): string {
    return createHash('sha256')
      .update(readFileSync(path.join(folder, name)))
      .digest('hex');
  }
  return Object.fromEntries(names.map((name) => [name, hash(name)]));
}

function overwrite(at: number, bytes: Uint8Array): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

/** Some 300 KiB over several tables' pages. With `isKilled`, as a killed server leaves it: the log is not written back. */
async function leaveDatabase({ isKilled }: { readonly isKilled: boolean }): Promise<void> {
  const elsewhere = mkdtempSync(path.join(tmpdir(), 'flight-origin-'));
  const store = await openStore(elsewhere);
  async function fill(source: 'client' | 'receiver'): Promise<void> {
    for (let index = 0; index < 20; index += 1) {
      const row = { source, type: `${index}`.padEnd(8_000, 'x'), reason: 'r', last_time: 1 } as const;
      await store.db.insertInto('outcome').values(row).execute();
    }
  }
  await fill('client');
  if (isKilled) {
    await sql`pragma wal_checkpoint`.execute(store.db);
    await fill('receiver');
    cpSync(elsewhere, folder, { recursive: true });
  }
  await store.close();
  if (!isKilled) cpSync(elsewhere, folder, { recursive: true });
  rmSync(elsewhere, { recursive: true });
}

/** As the next start after a kill: with the whole file checked. */
async function start(): Promise<void> {
  const instance = takeInstance(folder, { address: { hostname: '127.0.0.1', port: 1 }, origin: 'http://127.0.0.1:1' });
  try {
    await (await openStore(folder)).close();
  } finally {
    instance.release();
  }
}

const damages: Record<string, () => void> = {
  'cut to 0 bytes': () => truncateSync(file, 0),
  'cut within its first page': () => truncateSync(file, 1_000),
  'cut in its middle': () => truncateSync(file, Math.floor(statSync(file).size / 2)),
  'overwritten at its start': () => overwrite(0, new Uint8Array(100)),
  'overwritten in its middle': () => overwrite(10 * 8192, new Uint8Array(8 * 8192).fill(0xa5)),
};

describe.each([{ isKilled: false }, { isKilled: true }])('a database (%j) that is', ({ isKilled }) => {
  it.each(Object.keys(damages))('%s is refused with one line and stays as it is', async (name) => {
    await leaveDatabase({ isKilled });
    expect(existsSync(`${file}-wal`)).toBe(isKilled);
    damages[name]?.();
    const before = hashFiles();
    await expect(start()).rejects.toThrow(
      /^The database .*flight\.db is (?:damaged|empty).* left as it is\. Restore a backup .* move it away.*$/,
    );
    expect(hashFiles()).toEqual(before);
  });

  it('whole opens, with all that is in its log', async () => {
    await leaveDatabase({ isKilled });
    const instance = takeInstance(folder, { address: { hostname: '127.0.0.1', port: 1 }, origin: 'http://127.0.0.1' });
    const store = await openStore(folder);
    const rows = await store.db.selectFrom('outcome').select('source').execute();
    await store.close();
    instance.release();
    expect(rows).toHaveLength(isKilled ? 40 : 20);
  });
});

describe('a database', () => {
  it('overwritten in its schema is refused, unless the log holds that page too', async () => {
    await leaveDatabase({ isKilled: false });
    overwrite(100, new Uint8Array(4_000).fill(0xa5));
    const before = hashFiles();
    await expect(start()).rejects.toThrow('left as it is');
    expect(hashFiles()).toEqual(before);
  });

  it('whose log cannot be read further than the crash wrote it is still refused unchanged without its index', async () => {
    await leaveDatabase({ isKilled: true });
    rmSync(`${file}-shm`);
    truncateSync(file, 1_000);
    const before = hashFiles();
    await expect(start()).rejects.toThrow('left as it is');
    expect(hashFiles()).toEqual(before);
  });

  it.each([
    ['with an id of its own', 'create table error (id); create table outcome (id); pragma application_id = 7'],
    ['without one', 'create table bookmarks (id); pragma user_version = 1'],
  ])('of another application, %s, is refused unchanged', async (_, statements) => {
    const foreign = new DatabaseSync(file);
    foreign.exec(`pragma journal_mode = wal; ${statements}`);
    foreign.close();
    const before = hashFiles();
    await expect(start()).rejects.toThrow(/flight\.db belongs to another application\. It was left as it is/);
    expect(hashFiles()).toEqual(before);
  });

  it('of a newer build is refused unchanged, its log included', async () => {
    await leaveDatabase({ isKilled: true });
    const newer = new DatabaseSync(file);
    const reader = new DatabaseSync(file, { readOnly: true });
    newer.exec(`pragma user_version = ${versionAfter(migrations) + 1}`);
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'flight-newer-'));
    cpSync(folder, elsewhere, { recursive: true });
    newer.close();
    reader.close();
    rmSync(folder, { recursive: true });
    cpSync(elsewhere, folder, { recursive: true });
    rmSync(elsewhere, { recursive: true });
    const before = hashFiles();
    await expect(start()).rejects.toThrow('this build knows up to');
    expect(hashFiles()).toEqual(before);
  });

  it('of a newer build that was stopped is refused with nothing left beside it', async () => {
    await leaveDatabase({ isKilled: false });
    const newer = new DatabaseSync(file);
    newer.exec(`pragma user_version = ${versionAfter(migrations) + 1}`);
    newer.close();
    const before = hashFiles();
    expect(Object.keys(before)).toEqual(['flight.db']);
    await expect(start()).rejects.toThrow('this build knows up to');
    await expect(openStore(folder)).rejects.toThrow('this build knows up to');
    expect(hashFiles()).toEqual(before);
  });

  it('is never made beside the log of one that is gone', async () => {
    await leaveDatabase({ isKilled: true });
    rmSync(file);
    await expect(start()).rejects.toThrow(/flight\.db-wal is there without .*Put the database back, or move both away/);
    expect(existsSync(file)).toBe(false);
  });

  it('from before the first release is refused unchanged, in one line that says what to do', async () => {
    await leaveDatabase({ isKilled: false });
    const older = new DatabaseSync(file);
    older.exec('pragma user_version = 15');
    older.close();
    const before = hashFiles();
    await expect(start()).rejects.toThrow(
      /^The database has schema version 15, from before the first release, .* It was left as it is: point FLIGHT_DATA at another folder .*$/,
    );
    expect(hashFiles()).toEqual(before);
  });

  it('and its log are for their owner alone, whatever they were', async () => {
    await leaveDatabase({ isKilled: true });
    for (const suffix of ['', '-wal', '-shm']) chmodSync(`${file}${suffix}`, 0o644);
    const store = await openStore(folder);
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(`${file}${suffix}`).mode & 0o777);
    await store.close();
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it('is new under another name until it is whole', async () => {
    writeFileSync(path.join(folder, 'flight-new.db'), 'left from a start that was killed');
    const store = await openStore(folder);
    expect(
      readdirSync(folder)
        .filter((name) => name.startsWith('flight'))
        .toSorted(),
    ).toEqual(['flight.db', 'flight.db-shm', 'flight.db-wal']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('opens at each look, while another process makes its log and takes it away', async () => {
    createDatabase(file);
    const openings = 100;
    const other = spawn(
      process.execPath,
      [
        '-e',
        `const { DatabaseSync } = require('node:sqlite');
         for (let count = 0; count < ${openings}; count += 1) {
           const database = new DatabaseSync(process.argv[1], { timeout: 30000 });
           database.exec('pragma journal_mode = wal; create table if not exists t (a); insert into t values (1)');
           database.close();
         }`,
        file,
      ],
      { stdio: 'inherit' },
    );
    const ended = once(other, 'exit').then(([code]: unknown[]) => code);
    while (other.exitCode === null) {
      for (let looks = 0; looks < 20; looks += 1) expect(inspectDatabase(file, false)).toEqual({ version: 0 });
      await setImmediate();
    }
    expect(await ended).toBe(0);
  });
});
