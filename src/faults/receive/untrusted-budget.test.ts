import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { ingestEnvelope, type IngestResult } from './ingest-envelope.ts';

const mebibyte = 1024 * 1024;
let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-budget-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
  store = await openStore(folder);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Posts an untrusted error of about so many bytes, of a fault of its own. Most of it is breadcrumbs, which are kept up to 64 KiB. */
function post(id: string, kibibytes: number, app?: string): Promise<IngestResult> {
  const crumb = { timestamp: 1, message: 'so '.repeat(158) };
  const breadcrumbs = Array.from({ length: kibibytes * 2 }, () => crumb);
  const event = { event_id: id, exception: { values: [{ type: `Error of ${id}`, value: 'boom' }] }, breadcrumbs };
  const body = new TextEncoder().encode(`{}\n{"type":"event"}\n${JSON.stringify(event)}`);
  return app === undefined
    ? ingestEnvelope(body)
    : ingestEnvelope(body, { app, side: 'browser', userAgent: undefined });
}

function createId(): string {
  return randomBytes(16).toString('hex');
}

async function listIds(): Promise<string[]> {
  return (await store.db.selectFrom('event').where('side', '=', 'browser').select('id').execute()).map((row) => row.id);
}

it('untrusted errors take a quarter of the budget, and errors are stored beside them', async () => {
  // The tables and indexes themselves, each a page or more.
  const empty = store.measureFill();
  const results: IngestResult['status'][] = [];
  for (let count = 0; count < 150; count += 1) results.push((await post(createId(), 40)).status);
  expect(results.filter((status) => status === 'stored').length).toBeGreaterThan(60);
  expect(results.at(-1)).toBe('refused');
  expect((store.measureFill() - empty) * 16 * mebibyte).toBeLessThan(5 * mebibyte);
  expect(await store.checkWritable()).toEqual({ status: 'writable' });
});

it('an untrusted error takes the place of larger ones, the largest first', async () => {
  const largest = createId();
  const large = Array.from({ length: 120 }, createId);
  await post(largest, 45);
  for (const id of large) await post(id, 40);
  expect((await listIds()).includes(largest)).toBe(false);
  const before = await listIds();
  const small = Array.from({ length: 40 }, createId);
  for (const id of small) expect(await post(id, 2)).toEqual({ status: 'stored', eventIds: [id] });
  const after = await listIds();
  expect(small.filter((id) => !after.includes(id))).toEqual([]);
  expect(before.filter((id) => !after.includes(id)).length).toBeGreaterThan(1);
  expect(await post(createId(), 45)).toMatchObject({ status: 'refused', httpStatus: 503 });
  expect(await listIds()).toEqual(after);
});

it('a flood of one app, however small its errors are, takes nothing from another, which can still report', async () => {
  async function countOf(app: string): Promise<number> {
    const rows = await store.db.selectFrom('event').where('app', '=', app).select('id').execute();
    return rows.length;
  }
  for (let count = 0; count < 20; count += 1) await post(createId(), 40, 'alpha');
  for (let count = 0; count < 700; count += 1) await post(createId(), 6, 'beta');
  const flooded = await countOf('beta');
  expect([await countOf('alpha'), flooded < 700]).toEqual([20, true]);
  for (let count = 0; count < 5; count += 1) expect((await post(createId(), 40, 'alpha')).status).toBe('stored');
  expect(await countOf('alpha')).toBe(25);
  expect(await countOf('beta')).toBeLessThan(flooded);
});

it('none is taken while the database is crowded', async () => {
  expect((await post(createId(), 1)).status).toBe('stored');
  vi.spyOn(store, 'measureFill').mockReturnValue(0.86);
  expect(await post(createId(), 1)).toMatchObject({ status: 'refused', httpStatus: 503 });
  expect(await listIds()).toHaveLength(1);
});
