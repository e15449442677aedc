import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Migration } from './migrations.ts';
import { openStore } from './open-store.ts';
import { restoreDatabase } from './restore-database.ts';
import type { Tables } from './schema.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-upgrade-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A first release with three tables. */
const first: readonly Migration[] = [
  {
    name: 'first',
    async up(db) {
      await sql`create table outcome (source text, type text, reason text, last_time bigint)`.execute(db);
      for (const name of ['one', 'other']) await addTable(name).up(db);
    },
  },
];

function addTable(name: string): Migration {
  return { name, up: async (db: Kysely<Tables>) => void (await sql`create table ${sql.table(name)} (id)`.execute(db)) };
}

/** As the first release left it, with a row in it. */
async function leaveVersion1(type: string): Promise<void> {
  const store = await openStore(folder, first);
  await store.db.insertInto('outcome').values({ source: 'client', type, reason: 'r', last_time: 1 }).execute();
  await store.close();
}

async function upgradeTo(...names: string[]): Promise<void> {
  await (await openStore(folder, [...first, ...names.map(addTable)])).close();
}

function listCopies(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('flight-before'));
}

function readCopy(name: string): { version: unknown; types: unknown[]; tables: number } {
  const copy = new DatabaseSync(path.join(folder, name), { readOnly: true });
  const version = copy.prepare('pragma user_version').get()?.['user_version'];
  const types = copy.prepare('select type from outcome').all();
  const tables = copy.prepare("select 1 from sqlite_schema where type = 'table'").all().length;
  copy.close();
  return { version, types: types.map((row) => row['type']), tables };
}

describe('an upgrade', () => {
  it('of a database of version 1 keeps its rows, and a copy of it as it was, for its owner alone', async () => {
    await leaveVersion1('a');
    const store = await openStore(folder, [...first, addTable('second')]);
    expect(await store.db.selectFrom('outcome').select('type').execute()).toEqual([{ type: 'a' }]);
    await store.close();
    expect(listCopies()).toEqual(['flight-before-v19.db']);
    expect(readCopy('flight-before-v19.db')).toEqual({ version: 18, types: ['a'], tables: 3 });
    expect(statSync(path.join(folder, 'flight-before-v19.db')).mode & 0o777).toBe(0o600);
  });

  it('copies nothing for a database that is new, or that is not upgraded', async () => {
    await upgradeTo('second');
    await upgradeTo('second');
    expect(listCopies()).toEqual([]);
  });

  it('keeps the last two copies', async () => {
    await leaveVersion1('a');
    await upgradeTo('second');
    await upgradeTo('second', 'third');
    await upgradeTo('second', 'third', 'fourth');
    expect(listCopies()).toEqual(['flight-before-v20.db', 'flight-before-v21.db']);
  });

  it('that fails between two steps leaves the copy from before the first, for the next start too', async () => {
    await leaveVersion1('a');
    const broken = { name: 'broken', up: () => Promise.reject(new Error('no luck')) };
    await expect(openStore(folder, [...first, addTable('second'), broken])).rejects.toThrow('no luck');
    await upgradeTo('second', 'third');
    expect(readCopy('flight-before-v20.db')).toMatchObject({ version: 18, tables: 3 });
  });

  it('can be undone, and done again with what came in between', async () => {
    await leaveVersion1('a');
    await upgradeTo('second');
    await expect(leaveVersion1('b')).rejects.toThrow('schema version 19, this build knows up to 18');
    const { replaced } = await restoreDatabase(folder, path.join(folder, 'flight-before-v19.db'));
    expect(replaced).toMatch(/^flight-replaced-.*\.db$/);
    await leaveVersion1('b');
    await upgradeTo('second');
    expect(readCopy('flight-before-v19.db')).toMatchObject({ version: 18, types: ['a', 'b'] });
  });
});
