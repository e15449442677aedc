import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Insertable } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultTable } from '#src/store/schema.ts';

import { countUnseenFaults } from './count-unseen.ts';
import { listFaultsForHome } from './list-faults.ts';

/** src/faults/kept/queries-guard.test.ts tests who may ask. */
useOperator();

let folder: string;
const noon = Date.UTC(2026, 10, 20, 12);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-unseen-'));
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
  const plain = {
    app: 'shop',
    side: 'server',
    level: 'error',
    state: 'open',
    unseen: 'new',
    merged_into: null,
  } as const;
  await db
    .insertInto('fault')
    .values({ id, ...plain, ...texts, ...times, ...fault })
    .execute();
}

it('counts open faults that became new or came back after a time', async () => {
  await add('new', {});
  await add('back', { unseen: 'regressed', first_time: 0 });
  await add('own', { app: 'flight-recorder' });
  await add('seen', { unseen: null });
  await add('known', { state_time: noon - 10 });
  await add('muted', { state: 'muted' });
  await add('merged', { merged_into: 'new' });
  expect(await countUnseenFaults(noon - 1)).toBe(3);
  expect(await countUnseenFaults(noon - 1, 'shop')).toBe(2);
  expect(await countUnseenFaults(noon)).toBe(0);
});

it('leaves the front page to the servers’ faults, however many strangers report', async () => {
  for (let n = 0; n < 20; n += 1) {
    const last_time = noon - 1_000 + n;
    await add(`server-${n}`, { last_time, ...(n < 10 ? { unseen: null } : {}) });
    await add(`untrusted-${n}`, { side: 'browser', last_time: noon + n });
  }
  const { faults, unseen, open, untrusted, total } = await listFaultsForHome(undefined, noon);
  const ids = faults.map(({ id }) => id);
  expect(ids).toEqual([
    ...[19, 18, 17, 16].map((n) => `untrusted-${n}`),
    ...[19, 18, 17, 16, 15, 14, 13, 12].map((n) => `server-${n}`),
  ]);
  expect({ unseen, open, untrusted, total }).toEqual({ unseen: 30, open: 40, untrusted: 20, total: 40 });
  const { db } = await openStore();
  await db.deleteFrom('fault').where('side', '=', 'browser').execute();
  expect((await listFaultsForHome('shop', noon)).faults.map(({ id }) => id)).toEqual(
    [19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8].map((n) => `server-${n}`),
  );
});
