import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Insertable } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore } from '#src/store/open-store.ts';
import type { FaultTable } from '#src/store/schema.ts';

import { countFaultNews } from './count-news.ts';

/** src/reports/queries-guard.test.ts tests who may ask. */
vi.mock('#src/operator/require-operator.ts', () => ({ requireOperator: () => ({ kind: 'login-off' }) }));

let folder: string;
const noon = Date.UTC(2026, 10, 20, 12);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-news-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

async function add(id: string, fault: Partial<Insertable<FaultTable>>): Promise<void> {
  const { db } = await openStore();
  const texts = { name: '', message: '', culprit: '', first_release: '', last_release: '', state_json: '{}' };
  const times = { state_time: noon, first_time: noon, last_time: noon };
  const plain = { app: 'shop', side: 'server', level: 'error', state: 'open', news: 'new', merged_into: null } as const;
  await db
    .insertInto('fault')
    .values({ id, ...plain, ...texts, ...times, ...fault })
    .execute();
}

it('counts open faults that became new or came back after a time', async () => {
  await add('new', {});
  await add('back', { news: 'regressed', first_time: 0 });
  await add('own', { app: 'flight-recorder' });
  await add('seen', { news: null });
  await add('known', { state_time: noon - 10 });
  await add('muted', { state: 'muted' });
  await add('merged', { merged_into: 'new' });
  expect(await countFaultNews(noon - 1)).toBe(3);
  expect(await countFaultNews(noon - 1, 'shop')).toBe(2);
  expect(await countFaultNews(noon)).toBe(0);
});
