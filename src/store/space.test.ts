import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync } from 'node:zlib';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { type InstanceLock, takeInstance } from './instance.ts';
import { openStore, type Store } from './open-store.ts';
import { probe } from './probe-writing.ts';

let folder: string;
let instance: InstanceLock;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-space-'));
  vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
  instance = takeInstance(folder, { address: { hostname: '127.0.0.1', port: 1 }, origin: 'http://127.0.0.1:1' });
  store = await openStore(folder);
});

afterEach(async () => {
  await store.close();
  instance.release();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

let rows = 0;

/** Twice that on disk: the text is part of the table's key. */
function createRow(length = 200_000) {
  rows += 1;
  return { source: 'client', type: `${rows}`.padEnd(length, 'x'), reason: 'r', last_time: rows } as const;
}

function report(length?: number): Promise<string> {
  return store.commit(async (trx) => void (await trx.insertInto('outcome').values(createRow(length)).execute()));
}

/** As large as what readiness tries. */
function reportError(number: number): Promise<string> {
  const values = { ...probe, id: `${number}`, fingerprint: 'f' };
  return store.commit(async (trx) => void (await trx.insertInto('event').values(values).execute()));
}

async function fill(length?: number): Promise<void> {
  for (let count = 0; count < 200; count += 1) if ((await report(length)) === 'no-room') return;
  throw new Error('The store took 40 MB with a limit of 16');
}

async function countRows(): Promise<number> {
  return (await store.db.selectFrom('outcome').select('type').execute()).length;
}

function passSeconds(seconds: number): void {
  const later = performance.now() + seconds * 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => later);
}

describe('with the budget used up', () => {
  it('reports are refused, and what was answered as committed is there', async () => {
    let committed = 0;
    while ((await report()) === 'committed') committed += 1;
    expect(committed).toBeGreaterThan(30);
    expect(await countRows()).toBe(committed);
    expect(statSync(path.join(folder, 'flight.db')).size).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  it('one by one or together', async () => {
    await fill();
    passSeconds(6);
    expect(await Promise.all([report(), report(), report()])).toEqual(['no-room', 'no-room', 'no-room']);
  });

  it('the operator can sign in and delete', async () => {
    await fill();
    const before = await countRows();
    await store.db.insertInto('outcome').values(createRow(1_000)).execute();
    await store.transact(async (trx) => void (await trx.insertInto('outcome').values(createRow(1_000)).execute()));
    expect(await countRows()).toBe(before + 2);
    await store.db.deleteFrom('outcome').execute();
    expect(await countRows()).toBe(0);
  });

  it('what is kept back ends too', async () => {
    await fill();
    async function signIn(): Promise<void> {
      for (let count = 0; count < 100; count += 1) await store.db.insertInto('outcome').values(createRow()).execute();
    }
    await expect(signIn()).rejects.toThrow('database or disk is full');
    expect(await countRows()).toBeGreaterThan(45);
  });

  it('reports are taken again a little after a deletion, without a restart', async () => {
    await fill();
    await sql`delete from outcome where last_time % 2 = 0`.execute(store.db);
    expect(await report()).toBe('no-room');
    passSeconds(6);
    expect(await report()).toBe('committed');
  });

  it('the server says that it is not ready, and that it is again', async () => {
    expect(await store.checkWritable()).toEqual({ status: 'writable' });
    await fill();
    expect(await store.checkWritable()).toEqual({ status: 'no-room' });
    await store.db.deleteFrom('outcome').execute();
    passSeconds(6);
    expect(await store.checkWritable()).toEqual({ status: 'writable' });
  });

  it('readiness tries what an error does: it is no guess, and leaves nothing behind', async () => {
    await fill();
    passSeconds(6);
    await fill(10_000);
    passSeconds(18);
    // Until the very row that is tried does not fit any more.
    let errors = 0;
    while ((await reportError(errors)) === 'committed') errors += 1;
    // Long after the last write was refused, when it would be worth a try again.
    passSeconds(36);
    expect(await store.checkWritable()).toEqual({ status: 'no-room' });
    await store.db.deleteFrom('outcome').execute();
    passSeconds(30);
    expect(await store.checkWritable()).toEqual({ status: 'writable' });
    expect(await store.db.selectFrom('event').where('side', '=', 'server').select('digest').execute()).toHaveLength(
      errors,
    );
  });

  it('it is known how much is in use', async () => {
    expect(store.measureFill()).toBeLessThan(0.1);
    await fill();
    expect(store.measureFill()).toBeGreaterThan(0.95);
    await store.db.deleteFrom('outcome').execute();
    expect(store.measureFill()).toBeLessThan(0.1);
  });
});

describe('the reserve', () => {
  it('holds room for its owner alone, and stays when only the budget is used up', async () => {
    const reserve = path.join(folder, 'reserve');
    expect([statSync(reserve).size, statSync(reserve).mode & 0o777]).toEqual([16 * 1024 * 1024, 0o600]);
    await fill();
    expect(existsSync(reserve)).toBe(true);
    expect(store.admitsFiles()).toBe(true);
  });

  it('holds its room on a file system that compresses, or keeps equal pages once', () => {
    const reserve = readFileSync(path.join(folder, 'reserve'));
    expect(deflateSync(reserve.subarray(0, 64 * 1024)).length).toBeGreaterThan(60 * 1024);
    const pages = Array.from({ length: reserve.length / 4096 }, (_, page) =>
      reserve.subarray(page * 4096, (page + 1) * 4096).toString('latin1'),
    );
    expect(new Set(pages).size).toBe(4096);
  });

  it('is the server’s: a command makes none', async () => {
    const other = path.join(folder, 'other');
    await (await openStore(other)).close();
    expect(existsSync(path.join(other, 'reserve'))).toBe(false);
  });
});

describe('checkWritable', () => {
  it('says what failed when it is not room', async () => {
    const { db } = store;
    await store.close();
    await expect(db.selectFrom('outcome').selectAll().execute()).rejects.toThrow('destroyed');
    expect(await store.checkWritable()).toEqual({ status: 'failed', reason: expect.stringContaining('destroyed') });
  });
});
