import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';
import { isAnyDue } from '#src/store/search-tables.ts';

import { indexBacklog, startIndexing } from './index-in-background.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-indexing-'));
  store = await openStore(folder);
  // As an older database has them: noted by the migration, and not indexed.
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 250)
    insert into search_row (id, side, key, app, hash) select i, 'server', 'e' || i, 'shop', 'h' from n`.execute(
    store.db,
  );
  await sql`insert into search_due select id from search_row`.execute(store.db);
});

afterEach(async () => {
  vi.useRealTimers();
  await store.close();
  rmSync(folder, { recursive: true });
});

it('goes on until nothing is left', async () => {
  expect(await indexBacklog(store, () => false)).toBe(true);
  expect(await isAnyDue(store.db)).toBe(false);
});

it('stops when it is told to, and while there is no room', async () => {
  expect(await indexBacklog(store, () => true)).toBe(false);
  expect(await indexBacklog({ db: store.db, commit: async () => 'no-room' }, () => false)).toBe(false);
  expect(await isAnyDue(store.db)).toBe(true);
});

it('looks every few seconds, one pass at a time, and says once that it failed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const lines = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const errors = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  const failed = Promise.withResolvers<void>();
  const commit = vi.fn(async () => {
    failed.resolve();
    throw new Error('the disk is gone');
  });
  const stop = startIndexing({ db: store.db, commit });
  vi.advanceTimersByTime(5_000);
  vi.advanceTimersByTime(5_000);
  await failed.promise;
  expect(commit).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => {
    vi.advanceTimersByTime(5_000);
    expect(commit.mock.calls.length).toBeGreaterThan(2);
  });
  stop();
  const said = [...lines.mock.calls, ...errors.mock.calls].map(([text]) => String(text)).join('');
  vi.restoreAllMocks();
  expect(said.match(/search-not-indexed/g)).toHaveLength(1);
});
