import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { dialectOf } from './dialect.ts';
import { openStore, type Store } from './open-store.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-one-of-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore();
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

async function find(column: 'name' | 'created', values: readonly string[] | readonly number[]): Promise<string[]> {
  const chosen = dialectOf(store.db).isOneOf(sql.ref(column), values);
  const rows = await store.db.selectFrom('scrub_key').select('name').where(chosen).orderBy('created').execute();
  return rows.map(({ name }) => name);
}

it('finds each of a list, whatever is in its texts, and nothing for an empty one', async () => {
  const names = ['plain', 'a,b', '{x}', '"quoted"', 'back\\slash', 'NULL', 'two\nlines', 'ünïcode', "it's", ''];
  const rows = names.map((name, index) => ({ name, created: index + 1 }));
  await store.db.insertInto('scrub_key').values(rows).execute();
  expect(await find('name', names)).toEqual(names);
  expect(await find('name', ['NULL', 'none'])).toEqual(['NULL']);
  expect(await find('created', [2, 4, 99])).toEqual(['a,b', '"quoted"']);
  expect([await find('name', []), await find('created', [])]).toEqual([[], []]);
});
