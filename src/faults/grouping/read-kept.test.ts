import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { readKept } from './read-kept.ts';

useOperator();

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-kept-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore(folder);
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

const texts = { fingerprint: 'f', path: '/', name: 'Error', message: 'boom', frames_json: '[]' } as const;
const error = {
  ...texts,
  side: 'server',
  received_at: 1,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  request_id: '',
  trace_id: '',
  release: '',
  stack: '',
  causes_json: '[]',
  time: 1,
} as const;
const untrusted = { ...texts, side: 'browser', breadcrumbs_json: '[]', time: 1, received_at: 1 } as const;

it('counts the rows of each fault, 0 where there are none', async () => {
  for (const [id, fault] of Object.entries({ a: 'one', b: 'one', c: 'two', d: null })) {
    await store.db
      .insertInto('event')
      .values({ ...error, id, fault })
      .execute();
  }
  for (const [id, fault] of Object.entries({ e: 'two', f: null })) {
    await store.db
      .insertInto('event')
      .values({ ...untrusted, id, fault })
      .execute();
  }
  expect(await readKept(['one', 'two', 'none', 'one'])).toEqual(
    new Map([
      ['one', { errors: 2, untrusted: 0 }],
      ['two', { errors: 1, untrusted: 1 }],
      ['none', { errors: 0, untrusted: 0 }],
    ]),
  );
  expect(await readKept([])).toEqual(new Map());
});
