import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { type AgeClock, ageFile, openAgeClock } from '#src/store/age-clock.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';
import { countStored } from './queries.ts';
import { ageLimitMs, enforceRetention, readRetentionWait, runRetention, startRetention } from './retention.ts';

/** These tests are about what is deleted. src/faults/kept/queries-guard.test.ts tests who may read. */
useOperator();

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-retention-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore(folder);
});

afterEach(async () => {
  vi.useRealTimers();
  delete process.env['FLIGHT_DATA'];
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** SQLite's: PostgreSQL gives room back when it likes to. */
async function countPages(): Promise<number> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
  return rows[0]?.page_count ?? 0;
}

const error = {
  side: 'server',
  fingerprint: '8c1f0a6b5d2e4970',
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/',
  request_id: '',
  trace_id: '',
  release: '',
  name: 'Error',
  message: 'boom',
  stack: 'x'.repeat(8_000),
  frames_json: '[]',
  component_stack: null,
  causes_json: '[]',
  bytes: 8_000,
} as const;

const untrusted = {
  digest: null,
  side: 'browser',
  fingerprint: '8c1f0a6b5d2e4970',
  name: 'Error',
  message: 'boom',
  path: '/',
  frames_json: '[]',
  component_stack: null,
} as const;

async function addErrors(ages: readonly number[], app?: string): Promise<void> {
  const now = Date.now();
  await store.commit(async (trx) => {
    for (const [index, age] of ages.entries()) {
      const digest = String(index).padStart(4, '0');
      const id = app === undefined ? digest : `${app}.${digest}`;
      const row = {
        ...error,
        id,
        digest,
        time: now - age,
        received_at: now - age,
        ...(app === undefined ? {} : { app }),
      };
      await trx.insertInto('event').values(row).execute();
    }
  });
}

async function addUntrusted(ages: readonly number[], size: (index: number) => number = () => 0): Promise<void> {
  const now = Date.now();
  for (const [index, age] of ages.entries()) {
    const id = String(index).padStart(4, '0');
    const bytes = size(index);
    const breadcrumbs_json = 'x'.repeat(bytes);
    await store.db
      .insertInto('event')
      // The time that a browser reports does not decide.
      .values({ ...untrusted, id, time: now, received_at: now - age, bytes, breadcrumbs_json })
      .execute();
  }
}

async function listDigests(): Promise<string[]> {
  const rows = await store.db.selectFrom('event').where('side', '=', 'server').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

async function listEvents(): Promise<string[]> {
  const rows = await store.db.selectFrom('event').where('side', '=', 'browser').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

describe('enforceRetention', () => {
  it('deletes the oldest beyond the number, of errors and of untrusted errors', async () => {
    await addErrors([500, 400, 300, 200, 100]);
    await addUntrusted([100, 200, 300]);
    expect(await enforceRetention(store, Date.now(), { errors: 3, untrusted: 2, ageMs: ageLimitMs })).toBe(3);
    expect(await listDigests()).toEqual(['0002', '0003', '0004']);
    expect(await listEvents()).toEqual(['0000', '0001']);
  });

  it('keeps as many errors again of all other apps, and takes them from the app that has most', async () => {
    await addErrors([500, 400, 300]);
    await addErrors([900, 800, 700, 600], 'shop');
    await addErrors([2_000], 'blog');
    expect(await enforceRetention(store, Date.now(), { errors: 3, untrusted: 2, ageMs: ageLimitMs })).toBe(2);
    expect(await listDigests()).toEqual(['0000', '0001', '0002', 'blog.0000', 'shop.0002', 'shop.0003']);
  });

  it('deletes what is too old, however little there is', async () => {
    await addErrors([10, ageLimitMs + 60_000]);
    await addUntrusted([ageLimitMs + 60_000, 10]);
    expect(await enforceRetention(store, Date.now())).toBe(2);
    expect(await listDigests()).toEqual(['0000']);
    expect(await listEvents()).toEqual(['0001']);
  });

  it('deletes nothing within the limits', async () => {
    await addErrors([3, 2, 1]);
    expect(await enforceRetention(store, Date.now(), { errors: 3, untrusted: 3, ageMs: 60_000 })).toBe(0);
    expect(await listDigests()).toHaveLength(3);
  });

  describe('with a budget of 16 MiB', () => {
    beforeEach(async () => {
      await store.close();
      vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
      store = await openStore(folder);
      vi.unstubAllEnvs();
    });

    it('takes room from the app that fails most, and none of our own errors', async () => {
      await addErrors(Array.from({ length: 120 }, (_, index) => 90_000 - index));
      await addErrors([1_000, 2_000], 'blog');
      await addErrors(
        Array.from({ length: 1_600 }, (_, index) => 2_000 - index),
        'shop',
      );
      expect(store.measureFill()).toBeGreaterThan(0.8);
      expect(await enforceRetention(store, Date.now(), undefined, 1)).toBeGreaterThan(50);
      const left = await listDigests();
      expect(left.filter((id) => !id.includes('.'))).toHaveLength(120);
      expect(left.filter((id) => id.startsWith('blog.'))).toHaveLength(2);
      expect(left).toContain('shop.1599');
      expect(left).not.toContain('shop.0000');
    });

    it('deletes the oldest errors while they fill it, until new ones have room', async () => {
      await addErrors(Array.from({ length: 1_700 }, (_, index) => 2_000 - index));
      expect(store.measureFill()).toBeGreaterThan(0.8);
      const deleted = await enforceRetention(store, Date.now(), undefined, 1);
      expect(deleted).toBeGreaterThan(50);
      expect(deleted).toBeLessThan(500);
      expect(store.measureFill()).toBeLessThanOrEqual(0.75);
      expect((await listDigests())[0]).toBe(String(deleted).padStart(4, '0'));
      expect(await enforceRetention(store, Date.now(), undefined, 1)).toBe(0);
    });

    it('deletes what people wrote before errors, down to a small share', async () => {
      await addErrors(Array.from({ length: 90 }, (_, index) => 2_000 - index));
      const sent = { source: 'sdk', app: 'shop', fault: null, name: '', email: '', path: '/', bytes: 4_096 } as const;
      const message = 'x'.repeat(4_096);
      for (let from = 0; from < 1_400; from += 100) {
        const rows = Array.from({ length: 100 }, (_, n) => ({
          ...sent,
          id: `${from + n}`,
          message,
          received_at: Date.now() + from + n,
        }));
        await store.db.insertInto('feedback').values(rows).execute();
      }
      vi.spyOn(store, 'measureFill').mockReturnValueOnce(0.95).mockReturnValueOnce(0.95);
      expect(await enforceRetention(store, Date.now(), undefined, 1)).toBe(200);
      vi.spyOn(store, 'measureFill').mockReturnValue(0.95);
      await enforceRetention(store, Date.now(), undefined, 1);
      const left = await store.db.selectFrom('feedback').select('id').orderBy('received_at').execute();
      expect([left.length, left[0]?.id]).toEqual([83, '1317']);
      expect(await listDigests()).toHaveLength(90);
    });

    it('never deletes the newest hundred errors for room: then it is not they that fill it', async () => {
      await addErrors(Array.from({ length: 250 }, (_, index) => 2_000 - index));
      vi.spyOn(store, 'measureFill').mockReturnValue(0.95);
      expect(await enforceRetention(store, Date.now(), undefined, 1)).toBe(150);
      expect(await listDigests()).toEqual(
        Array.from({ length: 100 }, (_, index) => String(150 + index).padStart(4, '0')),
      );
    });

    it('deletes untrusted errors first, the largest first, and no error for them', async () => {
      await addErrors(Array.from({ length: 1_340 }, (_, index) => 2_000 - index));
      const before = store.measureFill();
      expect(before).toBeLessThan(0.75);
      await addUntrusted(
        Array.from({ length: 60 }, (_, index) => 60 - index),
        (index) => (index < 30 ? 100_000 : 10_000),
      );
      expect(store.measureFill()).toBeGreaterThan(0.8);
      const deleted = await enforceRetention(store, Date.now(), undefined, 1);
      expect(store.measureFill()).toBeLessThanOrEqual(0.81);
      expect(await listDigests()).toHaveLength(1_340);
      const left = await listEvents();
      expect(left).toHaveLength(60 - deleted);
      // Fewer large ones are left than small ones.
      expect(left.filter((id) => Number(id) >= 30)).toHaveLength(30);
    });

    it('keeps untrusted errors to their share, however empty the rest is', async () => {
      await addUntrusted(
        Array.from({ length: 60 }, (_, index) => 60 - index),
        () => 100_000,
      );
      expect(store.measureFill()).toBeLessThan(0.5);
      await enforceRetention(store, Date.now(), undefined, 1);
      expect((await listEvents()).length).toBe(Math.floor((0.25 * 16 * 1024 * 1024) / (100_000 + 1_024)));
    });
  });

  it('works in batches that let others write between them, and gives room back', async () => {
    await addErrors(Array.from({ length: 450 }, (_, index) => 1000 - index));
    const isFile = store.engine === 'sqlite';
    const full = isFile ? await countPages() : 0;
    const released = vi.spyOn(store, 'releasePages');
    const counts: number[] = [];
    released.mockImplementation(async () => {
      counts.push((await listDigests()).length);
    });
    await enforceRetention(store, Date.now(), { errors: 10, untrusted: 10, ageMs: ageLimitMs }, 1);
    expect(counts).toEqual([350, 250, 150, 50, 10]);
    released.mockRestore();
    for (let round = 0; round < 4; round += 1) await store.releasePages();
    if (isFile) expect(await countPages()).toBeLessThan(full / 4);
  });
});

// With PostgreSQL the clock is the database's, which no test can set: src/store/postgres/two-servers.test.ts.
describe.skipIf(testedEngine === 'postgres')('runRetention', () => {
  const hour = 3_600_000;
  const day = 24 * hour;
  const begin = Date.UTC(2026, 10, 20);
  let wall: number;
  let steady: number;
  let lines: Record<string, unknown>[];
  let readAge: AgeClock;

  async function start(): Promise<void> {
    readAge = await openAgeClock(store, folder, { wall: () => wall, steady: () => steady });
  }

  /** Lets so many hours pass on a running server, with one pass of retention in each step. */
  async function run(hours: number, step = 1): Promise<void> {
    for (let passed = 0; passed < hours; passed += step) {
      wall += step * hour;
      steady += step * hour;
      await runRetention(store, readAge(), 1);
    }
  }

  beforeEach(async () => {
    wall = begin;
    steady = 5_000;
    lines = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
    vi.spyOn(Date, 'now').mockImplementation(() => wall);
    // One each day, the newest now.
    await addErrors(Array.from({ length: 60 }, (_, index) => index * day));
    await addUntrusted(Array.from({ length: 60 }, (_, index) => index * day));
    await start();
    await runRetention(store, readAge(), 1);
    expect((await listDigests()).length + (await listEvents()).length).toBe(120);
  });

  it('deletes what becomes too old, day by day, and says nothing', async () => {
    await run(31 * 24 + 6, 6);
    expect(await listDigests()).toHaveLength(59);
    expect(await listEvents()).toHaveLength(59);
    await run(24, 6);
    expect(await listDigests()).toHaveLength(58);
    expect(lines).toEqual([]);
    expect(readRetentionWait()).toBeUndefined();
  });

  it('deletes nothing for a clock that jumps 100 days ahead and back, and says so', async () => {
    wall += 100 * day;
    await run(1);
    expect(await listDigests()).toHaveLength(60);
    expect(lines).toEqual([
      expect.objectContaining({
        event: 'retention-waits',
        rows: 120,
        until: new Date(wall + day).toISOString(),
      }),
    ]);
    expect(readRetentionWait()).toEqual({ rows: 120, until: wall + day });
    expect((await countStored()).waiting).toEqual({ rows: 120, until: wall + day });
    wall -= 100 * day;
    await run(30);
    expect((await listDigests()).length + (await listEvents()).length).toBe(120);
    expect(readRetentionWait()).toBeUndefined();
    expect(lines).toHaveLength(1);
  });

  it('believes a clock that stays ahead after a day of uptime, over a restart too', async () => {
    wall += 100 * day;
    await run(12);
    // The machine is new: its uptime begins again.
    steady = 10;
    await start();
    await run(12);
    expect(await listDigests()).toHaveLength(60);
    await run(1);
    expect(await listDigests()).toEqual([]);
    expect(await listEvents()).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(readRetentionWait()).toBeUndefined();
  });

  it('begins the wait anew with another jump', async () => {
    wall += 2 * hour;
    await run(23);
    wall += 100 * day;
    await run(23);
    expect(await listDigests()).toHaveLength(60);
    wall -= 100 * day;
    await run(1);
    expect(await listDigests()).toHaveLength(60);
  });

  it('waits after the server was off for 100 days, with the clock’s file, without and with half of it', async () => {
    wall += 100 * day;
    await start();
    await runRetention(store, readAge(), 1);
    rmSync(path.join(folder, ageFile));
    await start();
    await runRetention(store, readAge(), 1);
    writeFileSync(path.join(folder, ageFile), '{"time":');
    await start();
    await run(23);
    expect(await listDigests()).toHaveLength(60);
    await run(2);
    expect(await listDigests()).toEqual([]);
  });

  it('deletes nothing for a clock that is behind and then right', async () => {
    wall -= 20_000 * day;
    await run(3);
    wall += 20_000 * day;
    await run(3);
    expect(await listDigests()).toHaveLength(60);
    expect(lines).toEqual([]);
  });
});

describe('startRetention', () => {
  it('deletes at once, every minute, and when it becomes crowded, until it is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const readAge = vi.fn(() => ({ now: Date.now(), wall: Date.now(), waitsUntil: undefined }));
    const stop = startRetention(store, readAge);
    await addErrors([ageLimitMs + 60_000]);
    vi.advanceTimersByTime(59_000);
    expect(readAge).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(readAge).toHaveBeenCalledTimes(2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'retention', deleted: 1 });
    expect(await listDigests()).toEqual([]);
    await addErrors(Array.from({ length: 101 }, (_, index) => index));
    vi.spyOn(store, 'measureFill').mockReturnValue(0.9);
    vi.advanceTimersByTime(500);
    await vi.waitFor(async () => expect(await listDigests()).toHaveLength(100));
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('makes its first pass without waiting', async () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    await addErrors([ageLimitMs + 60_000]);
    const stop = startRetention(store, () => ({ now: Date.now(), wall: Date.now(), waitsUntil: undefined }));
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(await listDigests()).toEqual([]);
    stop();
  });
});
