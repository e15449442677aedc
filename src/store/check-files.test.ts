import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { takeInstance } from './instance.ts';
import { openStore } from './open-store.ts';

const presence = { address: { hostname: '127.0.0.1', port: 1 }, origin: 'http://127.0.0.1:1' };
let folder: string;
let elsewhere: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-files-'));
  elsewhere = mkdtempSync(path.join(tmpdir(), 'flight-origin-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  rmSync(elsewhere, { recursive: true });
});

/** As a killed server leaves it: what was stored last is in the log alone. */
async function leaveKilled(): Promise<void> {
  const store = await openStore(elsewhere);
  await store.db.insertInto('outcome').values({ source: 'client', type: 't', reason: 'r', last_time: 1 }).execute();
  cpSync(elsewhere, folder, { recursive: true });
  await store.close();
}

async function countOutcomes(): Promise<number> {
  const instance = takeInstance(folder, presence);
  try {
    const store = await openStore(folder);
    const rows = await store.db.selectFrom('outcome').selectAll().execute();
    await store.close();
    return rows.length;
  } finally {
    instance.release();
  }
}

const garbage = Buffer.alloc(40_000, 0xa5);

describe('a file beside the database that is no such file is named, with the way out, and left as it is', () => {
  it.each([
    [
      'flight.db-wal',
      /^\S+\/flight\.db-wal is damaged: .* Restore a backup .*, or move that file away to go on without it\.$/,
    ],
    ['instance.lock', /^\S+\/instance\.lock is not the empty file .* Move it away\.$/],
  ])('garbage in %s', async (name, message) => {
    await leaveKilled();
    writeFileSync(path.join(folder, name), garbage);
    await expect(countOutcomes()).rejects.toThrow(message);
    expect(readFileSync(path.join(folder, name)).equals(garbage)).toBe(true);
  });

  it.each(['flight.db', 'flight.db-wal', 'flight.db-shm', 'instance.lock', 'instance.json'])(
    'a directory called %s',
    async (name) => {
      await leaveKilled();
      rmSync(path.join(folder, name), { force: true });
      mkdirSync(path.join(folder, name));
      await expect(countOutcomes()).rejects.toThrow(
        new RegExp(
          `^\\S+/${name.replace('.', '\\.')} is a directory, where a file of the server belongs\\. Move it away[^\\n]*$`,
        ),
      );
      expect(readdirSync(path.join(folder, name))).toEqual([]);
    },
  );
});

it('garbage in the index of the log is no harm: it is made again from the log', async () => {
  await leaveKilled();
  writeFileSync(path.join(folder, 'flight.db-shm'), garbage);
  expect(await countOutcomes()).toBe(1);
});

it.each([0, 20, 4_096])(
  'a log of %i zeros, as a power cut may leave one before its first commit, is an empty one',
  async (length) => {
    await leaveKilled();
    writeFileSync(path.join(folder, 'flight.db-wal'), Buffer.alloc(length));
    expect(await countOutcomes()).toBe(0);
  },
);

describe('damage that shows while the database is open', () => {
  async function leaveLarge(): Promise<void> {
    const store = await openStore(folder);
    for (let index = 0; index < 40; index += 1) {
      const row = { source: 'client', type: `${index}`.padEnd(8_000, 'x'), reason: 'r', last_time: 1 } as const;
      await store.db.insertInto('outcome').values(row).execute();
    }
    await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
    await store.close();
  }

  /** Where the rows are: the tables' first pages come before. */
  function overwriteLastPages(): void {
    const file = path.join(folder, 'flight.db');
    const handle = openSync(file, 'r+');
    writeSync(handle, garbage, 0, garbage.length, statSync(file).size - 10 * 8_192);
    closeSync(handle);
  }

  it('is said once, with the way out; then it is not ready, and nothing is stored in it', async () => {
    await leaveLarge();
    const store = await openStore(folder);
    const said: string[] = [];
    store.onDamage((message) => said.push(message));
    expect(await store.checkWritable()).toEqual({ status: 'writable' });
    overwriteLastPages();
    for (let count = 0; count < 2; count += 1) {
      await expect(store.db.selectFrom('outcome').selectAll().execute()).rejects.toThrow('malformed');
    }
    expect(said).toEqual([
      expect.stringMatching(/^The database \S+flight\.db is damaged: .*\. Nothing more .* restore a backup .*\.$/),
    ]);
    store.onDamage((message) => said.push(message));
    expect(said).toHaveLength(2);
    expect(await store.checkWritable()).toEqual({ status: 'failed', reason: said[0] });
    await expect(store.commit(async () => undefined)).rejects.toThrow('is damaged');
    await store.close();
  });

  it('is looked for in the background where the database is too large to check before', async () => {
    await leaveLarge();
    overwriteLastPages();
    takeInstance(folder, presence).release();
    const file = path.join(folder, 'flight.db');
    const instance = takeInstance(folder, presence);
    // The pages behind the last one are nobody's, and take no room on the disk.
    const handle = openSync(file, 'r+');
    writeSync(handle, garbage, 0, 1, 257 * 1024 * 1024);
    closeSync(handle);
    const store = await openStore(folder);
    await new Promise((resolve) => {
      store.onDamage(resolve);
    });
    expect((await store.checkWritable()).status).toBe('failed');
    await store.close();
    instance.release();
  });

  it('is found at the start, after a clean stop too', async () => {
    await leaveLarge();
    takeInstance(folder, presence).release();
    overwriteLastPages();
    await expect(countOutcomes()).rejects.toThrow(/^The database \S+flight\.db is damaged: .* Restore a backup .*$/);
  });
});
