import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Insertable } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ensureApp } from '#src/apps/apps.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { ErrorTable, ReportTable } from '#src/store/schema.ts';

import { findById, readHexIds } from './find-by-id.ts';

vi.mock('#src/operator/require-operator.ts', () => ({ requireOperator: () => ({ kind: 'login-off' }) }));

let folder: string;
let store: Store;
const event = '4bf92f3577b34da6a3ce929d0e0e4736';
const claim = '0af7651916cd43dd8448eb211c80319c';
const trace = 'f1d2d2f924e986ac86fdf7b36c94bcdf';

const error: Insertable<ErrorTable> = {
  id: `shop.${event}`,
  digest: '2338734591',
  app: 'shop',
  fingerprint: 'h',
  fault: 'abcdefgh',
  time: 1,
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

const report: Insertable<ReportTable> = {
  event_id: claim,
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
  user_agent: null,
  release: null,
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
      news: null,
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
    await store.db.insertInto('error').values(error).execute();
    expect(await findById(typed)).toEqual({ type: 'error', fault: 'abcdefgh', key: `shop.${event}` });
  },
);

it('a browser’s report is found by its event id, and a server’s error of the same id comes first', async () => {
  await store.db
    .insertInto('report')
    .values({ ...report, event_id: event })
    .execute();
  expect(await findById(event)).toEqual({ type: 'report', fault: null, key: event, digest: 'D' });
  await store.db.insertInto('error').values(error).execute();
  expect(await findById(event)).toMatchObject({ type: 'error' });
});

it('a trace leads to its latest error, and to a browser’s report where there is no other', async () => {
  await store.db
    .insertInto('report')
    .values([report, { ...report, event_id: event, received_at: 2 }])
    .execute();
  expect(await findById(trace)).toMatchObject({ type: 'report', key: event });
  await store.db
    .insertInto('error')
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
  const row = { ...report, fault: 'abcdefgh' };
  await store.db.insertInto('error').values(error).execute();
  await store.db.insertInto('report').values(row).execute();
  expect(await findById(trace)).toMatchObject({ type: 'error' });
  await store.db.updateTable('report').set({ fault: 'bcdefghj' }).execute();
  expect(await findById(`trace ${trace}`)).toEqual({ type: 'trace', trace });
  await store.db.updateTable('fault').set({ merged_into: 'abcdefgh' }).where('id', '=', 'bcdefghj').execute();
  expect(await findById(trace)).toMatchObject({ type: 'error' });
});

it.each(['abcdefgh', ' abcdefgh ', 'http://127.0.0.1:3000/faults/abcdefgh?occurrence=1'])(
  'a fault is found by %s',
  async (typed) => {
    expect(await findById(typed)).toEqual({ type: 'fault', fault: 'abcdefgh' });
  },
);

it.each(['abcdefg0', 'abcdefghj', 'the abcdefgh', claim, '', 'x'.repeat(1_000)])('%s names nothing', async (typed) => {
  expect(await findById(typed)).toBeUndefined();
});

it('reads four ids at most, and none out of a longer number', () => {
  expect(readHexIds(Array.from({ length: 9 }, (_, at) => `${at}${event.slice(1)}`).join(' '))).toHaveLength(4);
  expect(readHexIds(`${event}0`)).toEqual([]);
  expect(readHexIds(`${event} ${event}`)).toEqual([event]);
});
