import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { noteEvent } from '../grouping/note-row.ts';
import { insertEvent } from '../kept/insert-event.ts';
import { setOwnKeys } from './scrub-keys.ts';
import { scrubRules } from './scrub-rules.ts';
import { scrubSecrets, scrubText } from './scrub.ts';
import { readRescrub, startRescrub } from './rescrub.ts';

useOperator();

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-rescrub-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore(folder);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(async () => {
  vi.restoreAllMocks();
  setOwnKeys([]);
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

const secret = 'konto=4711 failed at 10.0.0.7';
const crumbs = JSON.stringify([
  { time: 1, category: 'fetch', level: 'info', message: 'konto: 4711', data: { konto: '4711', url: '/x' } },
]);
const texts = {
  fingerprint: 'f',
  name: 'Error',
  message: secret,
  path: '/konto',
  frames_json: '[]',
  causes_json: JSON.stringify([{ name: 'Error', message: secret, stack: '' }]),
  breadcrumbs_json: crumbs,
  tags_json: JSON.stringify({ konto: '4711', 'order.konto': '4711', page: 'cart' }),
  extra_json: '{}',
  time: 5,
  received_at: 5,
} as const;
const error = {
  ...texts,
  id: 'shop.1',
  side: 'server',
  app: 'shop',
  route: '',
  level: 'error',
  user_key: null,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  request_id: '',
  trace_id: '',
  release: '',
  stack: `Error: ${secret}`,
} as const;

async function store1(): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const grouping = { fingerprint: 'f', rule: 'message', parts: ['Error', secret] } as const;
    const { columns } = await noteEvent(trx, error, { grouping, frames: [] });
    await insertEvent(trx, { ...error, ...columns, bytes: 1_000 });
  });
  await store.db
    .insertInto('event')
    .values({ ...texts, id: 'r', side: 'browser', bytes: 1_000 })
    .execute();
  await store.db
    .insertInto('feedback')
    .values({
      id: '1',
      app: 'shop',
      received_at: 5,
      source: 'sdk',
      name: 'J',
      email: '',
      message: secret,
      path: '/',
      bytes: 9,
    })
    .execute();
}

async function rescrub(): Promise<void> {
  let running: Promise<void> | undefined;
  expect(
    await startRescrub((done) => {
      running = done;
    }),
  ).toBe(true);
  expect(await startRescrub()).toBe(false);
  await running;
}

it('applies new keys to all that is stored, keeps what was not meant, and changes nothing the second time', async () => {
  await store1();
  await rescrub();
  // The address of a machine is removed from what browsers say, as it would be today.
  expect(readRescrub()).toMatchObject({ type: 'done', total: 5, changed: 2 });
  setOwnKeys(['konto']);
  await rescrub();
  expect(readRescrub()).toMatchObject({ type: 'done', total: 5, changed: 5 });
  const tables = ['event', 'feedback', 'fault', 'fault_hash'] as const;
  for (const table of tables) {
    const rows = await store.db.selectFrom(table).selectAll().execute();
    expect(rows).toHaveLength(table === 'event' ? 2 : 1);
    for (const row of rows.map((one) => JSON.stringify(one))) {
      expect(row, table).not.toContain('4711');
      expect(row, table).toContain('[Filtered]');
    }
  }
  const kept = await store.db.selectFrom('event').where('side', '=', 'server').selectAll().executeTakeFirstOrThrow();
  expect(kept).toMatchObject({ message: 'konto=[Filtered] failed at 10.0.0.7', path: '/konto', name: 'Error' });
  expect(JSON.parse(kept.tags_json)).toEqual({ konto: '[Filtered]', 'order.konto': '[Filtered]', page: 'cart' });
  expect(JSON.parse(kept.breadcrumbs_json)).toEqual([
    {
      time: 1,
      category: 'fetch',
      level: 'info',
      message: 'konto: [Filtered]',
      data: { konto: '[Filtered]', url: '/x' },
    },
  ]);
  const report = await store.db
    .selectFrom('event')
    .where('side', '=', 'browser')
    .select('message')
    .executeTakeFirstOrThrow();
  expect(report.message).toBe('konto=[Filtered] failed at [ip]');
  await rescrub();
  expect(readRescrub()).toMatchObject({ type: 'done', total: 5, changed: 0 });
});

it('leaves a row that another process changed after it was read', async () => {
  await store1();
  await rescrub();
  setOwnKeys(['konto']);
  const { transact } = store;
  vi.spyOn(store, 'transact').mockImplementationOnce(async (write) => {
    await store.db
      .updateTable('event')
      .where('side', '=', 'server')
      .set({ tags_json: '{"changed":"meanwhile"}', bytes: 77 })
      .execute();
    return transact(write);
  });
  await rescrub();
  const row = await store.db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select(['message', 'tags_json', 'bytes'])
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ message: secret, tags_json: '{"changed":"meanwhile"}', bytes: 77 });
});

it('counts the bytes of what changed', async () => {
  await store1();
  function size(row: Record<string, unknown>): number {
    const columns = ['message', 'stack', 'causes_json', 'breadcrumbs_json', 'tags_json'];
    return columns.reduce((sum, column) => sum + String(row[column]).length, 0);
  }
  const before = await store.db.selectFrom('event').where('side', '=', 'server').selectAll().executeTakeFirstOrThrow();
  setOwnKeys(['konto']);
  await rescrub();
  const after = await store.db.selectFrom('event').where('side', '=', 'server').selectAll().executeTakeFirstOrThrow();
  expect(after.bytes - before.bytes).toBe(size(after) - size(before));
  expect(after.bytes).not.toBe(before.bytes);
});

it('goes through many rows a few at a time', async () => {
  for (let index = 0; index < 45; index += 1) {
    const message = index % 2 === 0 ? 'konto=1' : 'fine';
    await store.db
      .insertInto('event')
      .values({
        ...texts,
        id: `r${index}`,
        side: 'browser',
        message,
        causes_json: '[]',
        breadcrumbs_json: '[]',
        tags_json: '{}',
      })
      .execute();
  }
  setOwnKeys(['konto']);
  await rescrub();
  expect(readRescrub()).toMatchObject({ type: 'done', total: 45, changed: 23 });
});

it.each(scrubRules)('$name: what was scrubbed is not changed by a second time', ({ example, replace }) => {
  setOwnKeys(['customer_no']);
  expect(replace(example)).not.toBe(example);
  for (const scrub of [scrubText, scrubSecrets]) {
    const once = scrub(`${example} (${example}) "${example}"`);
    expect(scrub(once)).toBe(once);
  }
});
