import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { dialectOf, valuesTogether } from './dialect.ts';
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

it('reads for each of many values what one select says of it, with an order and a limit of its own', async () => {
  const names = Array.from({ length: valuesTogether }, (_, index) => `${index}, "it's" {x}`);
  const rows = names.map((name, index) => ({ name, created: index + 1 }));
  await store.db.insertInto('scrub_key').values(rows).execute();
  const next = dialectOf(store.db).ofEach(
    names,
    (name) => sql`select other.created from scrub_key as named join scrub_key as other on other.created >= named.created
      where named.name = ${name} order by other.created limit 2`,
  );
  const found = await sql<{ created: number }>`${next}`.execute(store.db);
  const expected = rows.flatMap(({ created }) => [created, created + 1]).filter((created) => created <= rows.length);
  expect(found.rows.map(({ created }) => created).toSorted((a, b) => a - b)).toEqual(
    expected.toSorted((a, b) => a - b),
  );
});
