import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { countAppUntrusted, countAppErrors } from './read-apps.ts';

useOperator();

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'read-apps-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  store = await openStore();
});

afterEach(async () => {
  await store.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function addError(id: string, app: string, time: number, framework: string): Promise<void> {
  await sql`insert into event (id, side, digest, app, fingerprint, time, received_at, phase, kind, method, path, request_id, trace_id, release,
    name, message, stack, frames_json, causes_json, framework)
    values (${id}, 'server', ${id}, ${app}, '', ${time}, ${time}, 'rsc', 'document', 'GET', '/', '', '', '', '', '', '', '[]', '[]', ${framework})`.execute(
    store.db,
  );
}

it('says of each app with errors how many are kept, and what the latest says', async () => {
  await addError('s1', 'shop', 1, 'waku');
  await addError('s3', 'shop', 3, 'next');
  await addError('s2', 'shop', 2, 'waku');
  await addError('o1', 'other', 9, '');
  await addError('g1', 'gone', 4, '');
  await store.db.deleteFrom('event').where('side', '=', 'server').where('app', '=', 'gone').execute();
  expect(Object.fromEntries(await countAppErrors())).toEqual({
    shop: { errors: 3, lastAt: 3, framework: 'next' },
    other: { errors: 1, lastAt: 9, framework: '' },
  });
});

it('takes the number from the counter, since counting a hundred thousand rows blocks the server for seconds', async () => {
  await addError('s1', 'shop', 1, 'waku');
  await sql`update kept_app set rows = 123456 where side = 'event-server' and of_app = 'shop'`.execute(store.db);
  expect((await countAppErrors()).get('shop')?.errors).toBe(123_456);
});

async function addUntrusted(id: string, app: string, receivedAt: number): Promise<void> {
  await sql`insert into event (id, side, digest, app, fingerprint, time, received_at, name, message, path, frames_json, breadcrumbs_json, bytes)
    values (${id}, 'browser', null, ${app}, '', 99, ${receivedAt}, '', '', '/', '[]', '[]', 0)`.execute(store.db);
}

it('says what browsers reported of each app, also of one that no server told anything of', async () => {
  await addUntrusted('r1', 'shop', 5);
  await addUntrusted('r2', 'shop', 7);
  await addUntrusted('r3', 'gone', 1);
  await store.db.deleteFrom('event').where('side', '=', 'browser').where('app', '=', 'gone').execute();
  await addError('s1', 'other', 1, 'waku');
  expect(Object.fromEntries(await countAppUntrusted())).toEqual({ shop: { untrusted: 2, lastAt: 7 } });
  expect([...(await countAppErrors()).keys()]).toEqual(['other']);
});
