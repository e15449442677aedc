import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { addApp, ensureApp, readApps } from './apps.ts';
import { deleteApp, finishDeletions, runDeletion } from './delete-app.ts';
import { endDeletion, listDeletions } from './deletions.ts';
import { countRefusal, writeRefusals } from './refusals.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'delete-app-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  store = await openStore();
});

afterEach(async () => {
  for (const { app } of await listDeletions()) await endDeletion(app, store);
  await store.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function addError(id: string, app: string): Promise<void> {
  await sql`insert into event (id, side, digest, app, fingerprint, time, received_at, phase, kind, method, path, request_id, trace_id, release,
    name, message, stack, frames_json, causes_json)
    values (${id}, 'server', ${id}, ${app}, '', 1, 1, 'rsc', 'document', 'GET', '/', '', '', '', '', '', '', '[]', '[]')`.execute(
    store.db,
  );
}

async function addUntrusted(id: string, app: string): Promise<void> {
  await sql`insert into event (id, app, side, fingerprint, time, received_at, name, message, path, frames_json,
    breadcrumbs_json) values (${id}, ${app}, 'browser', '', 1, 1, '', '', '', '[]', '[]')`.execute(store.db);
}

async function addAlert(app: string): Promise<void> {
  const row = {
    id: app,
    channel: 'c',
    app,
    fault: 'f',
    content_json: '{}',
    created: 1,
    state: 'sent',
    next_time: 1,
  } as const;
  await store.db.insertInto('alert_delivery').values(row).execute();
}

async function listIds(): Promise<string[]> {
  const errors = await store.db.selectFrom('event').where('side', '=', 'server').select('id').orderBy('id').execute();
  const reports = await store.db.selectFrom('event').where('side', '=', 'browser').select('id').orderBy('id').execute();
  return [...errors.map(({ id }) => id), ...reports.map((report) => report.id)];
}

async function deleteAll(app: string, deleteFlights: Parameters<typeof deleteApp>[1]): Promise<boolean> {
  let running: Promise<void> | undefined;
  const isDeleted = await deleteApp(app, deleteFlights, (done) => (running = done));
  await running;
  return isDeleted;
}

it('deletes an app with its errors, refusals and flights, and nothing of another', async () => {
  await ensureApp('shop');
  await ensureApp('other');
  for (let index = 0; index < 450; index += 1) await addError(`shop-${index}`, 'shop');
  await addError('other-1', 'other');
  await addUntrusted('report-1', 'shop');
  await addUntrusted('report-2', 'other');
  countRefusal({ app: 'shop', endpoint: 'errors', reason: 'wrong-key' });
  countRefusal({ app: 'other', endpoint: 'errors', reason: 'wrong-key' });
  await writeRefusals();
  const outcome = { source: 'receiver', type: 'span', reason: 'not_kept', count: 1, last_time: 1 } as const;
  await store.db
    .insertInto('outcome')
    .values([
      { ...outcome, app: 'shop' },
      { ...outcome, app: 'other' },
    ])
    .execute();
  for (const app of ['shop', 'other']) await addAlert(app);
  const deleteFlights = vi.fn(async () => {});
  expect(await deleteAll('shop', deleteFlights)).toBe(true);
  expect(deleteFlights).toHaveBeenCalledWith('shop', expect.any(Function), expect.any(AbortSignal));
  expect(await listIds()).toEqual(['other-1', 'report-2']);
  expect((await readApps()).map(({ id }) => id)).toEqual(['other']);
  const refusals = await store.db.selectFrom('refusal').select('app').execute();
  expect(refusals).toEqual([{ app: 'other' }]);
  expect(await store.db.selectFrom('outcome').select('app').execute()).toEqual([{ app: 'other' }]);
  const alerts = await store.db.selectFrom('alert_delivery').select('app').execute();
  expect(alerts).toEqual([{ app: 'other' }]);
  expect(await listDeletions()).toEqual([]);
  expect(await deleteAll('shop', deleteFlights)).toBe(false);
});

it('says how far it is, and nobody can add the app again before it is done', async () => {
  await addApp('Shop');
  const states: unknown[] = [];
  await deleteAll('shop', async (_, onProgress) => {
    onProgress(1_000);
    states.push((await listDeletions())[0], await addApp('Shop'));
    await expect(ensureApp('shop')).rejects.toThrow('is being deleted');
  });
  expect(states).toEqual([
    { app: 'shop', name: 'Shop', flightsLeft: 1_000, problem: undefined },
    { type: 'refused', reason: 'being-deleted' },
  ]);
  expect((await addApp('Shop')).type).toBe('added');
});

it('goes on at the next start with what a crash or a full disk left', async () => {
  await ensureApp('shop');
  await ensureApp('kept');
  await addError('shop-1', 'shop');
  await addError('kept-1', 'kept');
  await addError('own', 'flight-recorder');
  await deleteAll('shop', () => Promise.reject(new Error('the disk is full')));
  expect(await listDeletions()).toMatchObject([{ app: 'shop', name: 'shop', problem: 'the disk is full' }]);
  await addError('shop-2', 'shop');
  const deleted: string[] = [];
  await finishDeletions(['flight-recorder', 'kept', 'gone'], async (app) => void deleted.push(app));
  await vi.waitFor(async () => expect(await listDeletions()).toEqual([]));
  expect(deleted.toSorted()).toEqual(['gone', 'shop']);
  expect(await listIds()).toEqual(['kept-1', 'own']);
});

const errorTables = [
  'event',
  'feedback',
  'outcome',
  'app_release',
  'fault',
  'fault_hash',
  'fault_hour',
  'fault_user',
  'fault_facet',
  'fault_activity',
];

type Column = { readonly name: string; readonly type: string };

/** The columns that have to have a value. */
async function listNeeded(table: string): Promise<readonly Column[]> {
  const columns = {
    sqlite: sql<Column>`select name, type from pragma_table_info(${table}) where "notnull" = 1`,
    postgres: sql<Column>`select column_name as name, data_type as type from information_schema.columns
      where table_name = ${table} and is_nullable = 'NO' and is_identity = 'NO'`,
  };
  return (await columns[store.engine].execute(store.db)).rows;
}

/** One row in each of these tables. */
async function fillTables(app: string): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const name of errorTables) {
    const needed = await listNeeded(name);
    const values = needed.map((column) => (column.type.toLowerCase() === 'text' ? app : 1));
    const columns = sql.join(needed.map((column) => sql.ref(column.name)));
    await sql`insert into ${sql.table(name)} (${columns}) values (${sql.join(values)})`.execute(store.db);
    filled.push(name);
  }
  return filled;
}

it('deletes what is known of its faults', async () => {
  await ensureApp('shop');
  await fillTables('other');
  const names = await fillTables('shop');
  expect(names).toEqual(expect.arrayContaining(['event', 'fault', 'fault_hash', 'fault_activity', 'feedback']));
  await deleteAll('shop', async () => {});
  for (const name of names) {
    const { rows } = await sql<{ app: string }>`select app from ${sql.table(name)}`.execute(store.db);
    expect([name, ...rows.map(({ app }) => app)]).toEqual([name, 'other']);
  }
});

it('goes on at the next start also when only faults are left', async () => {
  await fillTables('gone');
  await store.db.deleteFrom('event').execute();
  await finishDeletions([], async () => {});
  await vi.waitFor(async () => expect(await store.db.selectFrom('fault').select('id').execute()).toEqual([]));
});

it('ends before the next slice when it is told to, which is no problem to show', async () => {
  await fillTables('gone');
  for (let index = 0; index < 450; index += 1) await addError(`gone-${index}`, 'gone');
  const deletion = { app: 'gone', name: 'gone', flightsLeft: undefined, problem: undefined };
  const stopping = new AbortController();
  // The first pause between two slices.
  setImmediate(() => stopping.abort());
  await runDeletion(store, deletion, () => Promise.reject(new Error('not reached')), stopping.signal);
  const left = await store.db.selectFrom('event').where('side', '=', 'server').select('id').execute();
  expect(left.length).toBeGreaterThan(0);
  expect(await listDeletions()).toEqual([deletion]);
  // With its flights gone, too: faults say what is left, and are not lost.
  const later = new AbortController();
  await runDeletion(store, deletion, async () => later.abort(), later.signal);
  expect(await listIds()).toEqual([]);
  expect(await store.db.selectFrom('fault').select('app').execute()).toEqual([{ app: 'gone' }]);
  await runDeletion(store, deletion, async () => {}, new AbortController().signal);
  expect(await store.db.selectFrom('fault').select('app').execute()).toEqual([]);
  expect(await listDeletions()).toEqual([]);
});
