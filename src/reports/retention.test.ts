import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { ageLimitMs, enforceRetention, startRetention } from './retention.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-retention-'));
  store = await openStore(folder);
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function countPages(): Promise<number> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
  return rows[0]?.page_count ?? 0;
}

const error = {
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
} as const;

const report = {
  digest: null,
  side: 'browser',
  fingerprint: '8c1f0a6b5d2e4970',
  name: 'Error',
  message: 'boom',
  path: '/',
  frames_json: '[]',
  component_stack: null,
  user_agent: null,
  release: null,
  trace_id: null,
  breadcrumbs_json: '[]',
} as const;

async function addErrors(ages: readonly number[]): Promise<void> {
  const now = Date.now();
  await store.commit(async (trx) => {
    for (const [index, age] of ages.entries()) {
      const row = { ...error, digest: String(index).padStart(4, '0'), time: now - age };
      await trx.insertInto('error').values(row).execute();
    }
  });
}

async function addReports(ages: readonly number[]): Promise<void> {
  const now = Date.now();
  for (const [index, age] of ages.entries()) {
    const event_id = String(index).padStart(4, '0');
    await store.db
      .insertInto('report')
      // The time a browser claims does not decide.
      .values({ ...report, event_id, time: now, received_at: now - age })
      .execute();
  }
}

async function listDigests(): Promise<string[]> {
  const rows = await store.db.selectFrom('error').select('digest').orderBy('digest').execute();
  return rows.map((row) => row.digest);
}

async function listEvents(): Promise<string[]> {
  const rows = await store.db.selectFrom('report').select('event_id').orderBy('event_id').execute();
  return rows.map((row) => row.event_id);
}

describe('enforceRetention', () => {
  it('deletes the oldest beyond the number, of errors and of reports', async () => {
    await addErrors([500, 400, 300, 200, 100]);
    await addReports([100, 200, 300]);
    expect(await enforceRetention(store, { errors: 3, reports: 2, ageMs: ageLimitMs })).toBe(3);
    expect(await listDigests()).toEqual(['0002', '0003', '0004']);
    expect(await listEvents()).toEqual(['0000', '0001']);
  });

  it('deletes what is too old, however little there is', async () => {
    await addErrors([10, ageLimitMs + 60_000]);
    await addReports([ageLimitMs + 60_000, 10]);
    expect(await enforceRetention(store)).toBe(2);
    expect(await listDigests()).toEqual(['0000']);
    expect(await listEvents()).toEqual(['0001']);
  });

  it('deletes nothing within the limits', async () => {
    await addErrors([3, 2, 1]);
    expect(await enforceRetention(store, { errors: 3, reports: 3, ageMs: 60_000 })).toBe(0);
    expect(await listDigests()).toHaveLength(3);
  });

  it('deletes the oldest while the budget is nearly used up, and the newest thousand never', async () => {
    await store.close();
    vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
    store = await openStore(folder);
    vi.unstubAllEnvs();
    await addErrors(Array.from({ length: 1_200 }, (_, index) => 2_000 - index));
    expect(store.measureFill()).toBeGreaterThan(0.5);
    expect(await enforceRetention(store, undefined, 1)).toBe(0);
    vi.spyOn(store, 'measureFill').mockReturnValueOnce(0.91).mockReturnValue(0.89);
    expect(await enforceRetention(store, undefined, 1)).toBe(200);
    vi.spyOn(store, 'measureFill').mockReturnValue(0.91);
    await addReports([1]);
    expect(await enforceRetention(store, { errors: 1_100, reports: 1, ageMs: ageLimitMs }, 1)).toBe(0);
    expect((await listDigests())[0]).toBe('0200');
  });

  it('works in batches that let others write between them, and gives room back', async () => {
    await addErrors(Array.from({ length: 450 }, (_, index) => 1000 - index));
    const full = await countPages();
    const released = vi.spyOn(store, 'releasePages');
    const counts: number[] = [];
    released.mockImplementation(async () => {
      counts.push((await listDigests()).length);
    });
    await enforceRetention(store, { errors: 10, reports: 10, ageMs: ageLimitMs }, 1);
    expect(counts).toEqual([250, 50, 10]);
    released.mockRestore();
    for (let round = 0; round < 4; round += 1) await store.releasePages();
    expect(await countPages()).toBeLessThan(full / 4);
  });
});

describe('startRetention', () => {
  it('comes round every minute, until it is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    await addErrors([ageLimitMs + 60_000]);
    const stop = startRetention(store);
    vi.advanceTimersByTime(59_000);
    expect(await listDigests()).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'retention', deleted: 1 });
    expect(await listDigests()).toEqual([]);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
