import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { ensureApp } from '#src/apps/apps.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { NewEvent } from '#src/store/schema.ts';

import { findById, readHexIds } from './find-by-id.ts';

useOperator();

let folder: string;
let store: Store;
const event = '4bf92f3577b34da6a3ce929d0e0e4736';
const untrustedId = '0af7651916cd43dd8448eb211c80319c';
const trace = 'f1d2d2f924e986ac86fdf7b36c94bcdf';

const error: NewEvent = {
  id: `shop.${event}`,
  side: 'server',
  digest: '2338734591',
  app: 'shop',
  fingerprint: 'h',
  fault: 'abcdefgh',
  time: 1,
  received_at: 1,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/',
  request_id: '',
  trace_id: trace,
  release: '',
  name: 'Error',
  message: '',
  stack: '',
  frames_json: '[]',
  component_stack: null,
  causes_json: '[]',
};

const untrusted: NewEvent = {
  id: untrustedId,
  digest: 'D',
  side: 'browser',
  fingerprint: 'h',
  time: 1,
  received_at: 1,
  name: 'Error',
  message: '',
  path: '/',
  frames_json: '[]',
  component_stack: null,
  trace_id: trace,
  breadcrumbs_json: '[]',
};

async function addFault(id: string): Promise<void> {
  await store.db
    .insertInto('fault')
    .values({
      id,
      app: 'shop',
      side: 'server',
      name: '',
      message: '',
      culprit: '',
      level: 'error',
      state: 'open',
      state_json: '{}',
      state_time: 1,
      unseen: null,
      first_time: 1,
      last_time: 1,
      first_release: '',
      last_release: '',
      merged_into: null,
    })
    .execute();
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-ids-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore();
  await ensureApp('shop');
  await addFault('abcdefgh');
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

const asUuid = '4BF92F35-77B3-4DA6-A3CE-929D0E0E4736';

it.each([event, asUuid, `shop.${event}`, `event ${event}.`, `https://sentry.example/issues/?e=${event}`])(
  'an event of an app is found by %s',
  async (typed) => {
    await store.db.insertInto('event').values(error).execute();
    expect(await findById(typed)).toEqual({ type: 'error', fault: 'abcdefgh', key: `shop.${event}` });
  },
);

it('a browser’s error is found by its event id, and a server’s error of the same id comes first', async () => {
  await store.db
    .insertInto('event')
    .values({ ...untrusted, id: event })
    .execute();
  expect(await findById(event)).toEqual({ type: 'untrusted', fault: null, key: event, digest: 'D' });
  await store.db.insertInto('event').values(error).execute();
  expect(await findById(event)).toMatchObject({ type: 'error' });
});

it('an event id that another app repeats is that of the first, and of the app that is meant', async () => {
  await ensureApp('blog');
  const repeated = { ...error, id: `blog.${event}`, app: 'blog', fault: null, received_at: 2 };
  await store.db.insertInto('event').values(repeated).execute();
  await store.db
    .insertInto('event')
    .values({ ...error, received_at: 1 })
    .execute();
  expect(await findById(event)).toMatchObject({ key: `shop.${event}` });
  expect(await findById(event, (app) => app === 'blog')).toMatchObject({ key: `blog.${event}` });
  expect(await findById(event, () => false)).toBeUndefined();
});

it('a trace leads to its latest error, and to a browser’s error where there is no other', async () => {
  await store.db
    .insertInto('event')
    .values([untrusted, { ...untrusted, id: event, received_at: 2 }])
    .execute();
  expect(await findById(trace)).toMatchObject({ type: 'untrusted', key: event });
  await store.db
    .insertInto('event')
    .values([
      { ...error, id: 'first', time: 1 },
      { ...error, id: 'last', time: 3 },
      { ...error, id: 'second', time: 2 },
    ])
    .execute();
  expect(await findById(`traceparent 00-${trace}-00f067aa0ba902b7-01`)).toMatchObject({ type: 'error', key: 'last' });
});

it('a trace of several faults leads to none of them', async () => {
  await addFault('bcdefghj');
  const row = { ...untrusted, fault: 'abcdefgh' };
  await store.db.insertInto('event').values(error).execute();
  await store.db.insertInto('event').values(row).execute();
  expect(await findById(trace)).toMatchObject({ type: 'error' });
  await store.db.updateTable('event').where('side', '=', 'browser').set({ fault: 'bcdefghj' }).execute();
  expect(await findById(`trace ${trace}`)).toEqual({ type: 'trace', trace });
  await store.db.updateTable('fault').set({ merged_into: 'abcdefgh' }).where('id', '=', 'bcdefghj').execute();
  expect(await findById(trace)).toMatchObject({ type: 'error' });
});

it('leads from a fault that was merged to the one that has its errors', async () => {
  await addFault('bcdefghj');
  await store.db.updateTable('fault').set({ merged_into: 'abcdefgh' }).where('id', '=', 'bcdefghj').execute();
  expect(await findById('bcdefghj')).toEqual({ type: 'fault', fault: 'abcdefgh' });
});

it.each(['abcdefgh', ' abcdefgh ', 'http://127.0.0.1:3000/faults/abcdefgh?error=1'])(
  'a fault is found by %s',
  async (typed) => {
    expect(await findById(typed)).toEqual({ type: 'fault', fault: 'abcdefgh' });
  },
);

it.each(['abcdefg0', 'abcdefghj', 'the abcdefgh', untrustedId, '', 'x'.repeat(1_000)])(
  '%s names nothing',
  async (typed) => {
    expect(await findById(typed)).toBeUndefined();
  },
);

it('reads four ids at most, and none out of a longer number', () => {
  expect(readHexIds(Array.from({ length: 9 }, (_, at) => `${at}${event.slice(1)}`).join(' '))).toHaveLength(4);
  expect(readHexIds(`${event}0`)).toEqual([]);
  expect(readHexIds(`${event} ${event}`)).toEqual([event]);
});
