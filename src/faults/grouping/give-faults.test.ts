import { expect, it } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { giveFaults } from './give-faults.ts';
import { hourMs } from './hours.ts';
import { storeError, storeUntrusted, useStore } from './testing/use-store.ts';

useStore();

const tables = ['fault', 'fault_hash', 'fault_hour', 'fault_user', 'fault_activity', 'app_release'] as const;

/** As a version without faults left it. */
async function forgetFaults(): Promise<void> {
  const { db } = await openStore();
  for (const table of tables) await db.deleteFrom(table).execute();
  await db.updateTable('event').where('side', '=', 'server').set({ fault: null }).execute();
  await db.updateTable('event').where('side', '=', 'browser').set({ fault: null, waits: 0 }).execute();
}

/** PostgreSQL's numbers of rows go on after rows were deleted. */
const unnumbered = { rowid: 0 };

/** Everything about faults but their random ids. */
async function readAll() {
  const { db } = await openStore();
  const names = new Map<string | null, string>();
  for (const { id, message } of await db.selectFrom('fault').select(['id', 'message']).execute()) {
    names.set(id, message);
  }
  const faults = await db.selectFrom('fault').selectAll().orderBy('message').execute();
  const hours = await db.selectFrom('fault_hour').selectAll().orderBy('hash').orderBy('hour').execute();
  const errors = await db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select(['id', 'fault', 'fingerprint'])
    .orderBy('id')
    .execute();
  const untrusted = await db
    .selectFrom('event')
    .where('side', '=', 'browser')
    .select(['id', 'fault', 'fingerprint'])
    .orderBy('id')
    .execute();
  return {
    faults: faults.map((fault) => ({ ...fault, ...unnumbered, id: '', unseen: null })),
    hours: hours.map((hour) => ({ ...hour, ...unnumbered })),
    rows: [...errors, ...untrusted].map((row) => ({ ...row, fault: names.get(row.fault) })),
  };
}

async function storeMany(): Promise<void> {
  for (let at = 0; at < 130; at += 1) {
    const message = `m${'abc'.charAt(at % 3)}`;
    await storeError({
      message,
      received_at: at * hourMs,
      time: at * hourMs,
      release: `v${at % 5}`,
      user_key: `u${at % 7}`,
    });
  }
  await storeError({ message: 'named', digest: '2338734591', received_at: 5, time: 5 });
  await storeUntrusted({
    message: 'An error occurred in the Server Components render.',
    digest: '2338734591',
    received_at: 6,
  });
  for (let at = 0; at < 60; at += 1) {
    await storeUntrusted({ message: `r${'ab'.charAt(at % 2)}`, received_at: at, time: at });
  }
}

it('counts rows of an older version as if they had been counted when they came, and tells nobody', async () => {
  await storeMany();
  const expected = await readAll();
  await forgetFaults();
  expect(await giveFaults(await openStore(), 0)).toBe(192);
  expect(await readAll()).toEqual(expected);
  const { db } = await openStore();
  expect(await db.selectFrom('fault').select('unseen').distinct().execute()).toEqual([{ unseen: null }]);
  expect(await giveFaults(await openStore(), 0)).toBe(0);
  expect(await readAll()).toEqual(expected);
}, 20_000);

it('goes on after a process that ended between two batches, beside new errors', async () => {
  await storeMany();
  await forgetFaults();
  const store = await openStore();
  let batches = 0;
  const stopping = {
    ...store,
    commit: (...given: Parameters<typeof store.commit>) => {
      batches += 1;
      if (batches > 2) throw new Error('The process ended');
      return store.commit(...given);
    },
  };
  await expect(giveFaults(stopping, 0)).rejects.toThrow('ended');
  await storeError({ message: 'mb', received_at: 500 * hourMs });
  await giveFaults(store, 0);
  const { faults } = await readAll();
  expect(faults.map(({ message, count, untrusted }) => [message, count, untrusted])).toEqual([
    ['ma', 44, 0],
    ['mb', 44, 0],
    ['mc', 43, 0],
    ['named', 1, 1],
    ['ra', 0, 30],
    ['rb', 0, 30],
  ]);
}, 20_000);

it('keeps the hash of a row, whatever the present rules say of it', async () => {
  const { db } = await openStore();
  const { id } = await storeError({ message: 'row 7', received_at: 1_000 });
  await forgetFaults();
  await db.updateTable('event').where('side', '=', 'server').set({ fingerprint: 'of other rules' }).execute();
  await giveFaults(await openStore(), 0);
  const row = await db.selectFrom('event').select(['fault', 'fingerprint']).where('id', '=', id).executeTakeFirst();
  expect(row).toEqual({ fault: expect.any(String), fingerprint: 'of other rules' });
  expect(
    await db.selectFrom('fault_hash').select(['rule', 'algorithm']).where('hash', '=', 'of other rules').execute(),
  ).toEqual([{ rule: 'older', algorithm: 1 }]);
});

it('gives a fault to an untrusted error whose error was never understood', async () => {
  const { db } = await openStore();
  await storeError({ digest: 'd1' });
  await db.updateTable('event').where('side', '=', 'server').set({ fault: null, fingerprint: '' }).execute();
  const untrusted = await storeUntrusted({ digest: 'd1', message: 'x is null' });
  expect(untrusted.fault).toBeNull();
  await giveFaults(await openStore(), 0);
  expect(await db.selectFrom('event').where('side', '=', 'browser').select('fault').execute()).toEqual([
    { fault: null },
  ]);
  await db.deleteFrom('event').where('side', '=', 'server').execute();
  await giveFaults(await openStore(), 0);
  expect(
    await db
      .selectFrom('event')
      .where('side', '=', 'browser')
      .select(['waits'])
      .where('fault', 'is not', null)
      .execute(),
  ).toEqual([{ waits: 1 }]);
});
