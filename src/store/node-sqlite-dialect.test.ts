import { DatabaseSync } from 'node:sqlite';

import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { nodeSqliteDialect } from './node-sqlite-dialect.ts';

type Sample = { thing: { id: string; amount: number | null; flag: number | boolean } };

let database: DatabaseSync;
let db: Kysely<Sample>;

beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec('create table thing (id text primary key, amount bigint, flag integer)');
  db = new Kysely<Sample>({ dialect: nodeSqliteDialect(database) });
});

afterEach(() => {
  if (database.isOpen) database.close();
});

async function listIds(): Promise<string[]> {
  const rows = await db.selectFrom('thing').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

describe('nodeSqliteDialect', () => {
  it('reads back what it wrote: text, null, booleans, and integers that stay integers', async () => {
    const time = 1_790_000_000_123;
    await db.insertInto('thing').values({ id: 'ä\u{1F6E9}', amount: time, flag: true }).execute();
    await db.insertInto('thing').values({ id: 'b', amount: null, flag: false }).execute();
    expect(await db.selectFrom('thing').selectAll().orderBy('id').execute()).toEqual([
      { id: 'b', amount: null, flag: 0 },
      { id: 'ä\u{1F6E9}', amount: time, flag: 1 },
    ]);
    const { rows } = await sql<{ kind: string }>`select typeof(amount) as kind from thing where id = ${'b'}`.execute(
      db,
    );
    expect(rows).toEqual([{ kind: 'null' }]);
    expect(database.prepare('select typeof(amount) as kind from thing').all()[0]).toEqual({ kind: 'integer' });
  });

  it('returns rows of an insert, and counts of an update', async () => {
    const inserted = await db.insertInto('thing').values({ id: 'a', amount: 1, flag: 1 }).returning('id').execute();
    expect(inserted).toEqual([{ id: 'a' }]);
    const updated = await db.updateTable('thing').set({ amount: 2 }).where('id', '=', 'a').executeTakeFirstOrThrow();
    expect(updated.numUpdatedRows).toBe(1n);
  });

  it('undoes a transaction that throws', async () => {
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('thing').values({ id: 'a', amount: 1, flag: 1 }).execute();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await listIds()).toEqual([]);
    expect(database.isTransaction).toBe(false);
  });

  it('keeps transactions apart that run across awaits', async () => {
    async function insertTwo(first: string, second: string, fails: boolean): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx.insertInto('thing').values({ id: first, amount: 1, flag: 1 }).execute();
        await Promise.resolve();
        await trx.insertInto('thing').values({ id: second, amount: 1, flag: 1 }).execute();
        if (fails) throw new Error('undo');
      });
    }
    const results = await Promise.allSettled([insertTwo('a', 'b', false), insertTwo('c', 'd', true), listIds()]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await listIds()).toEqual(['a', 'b']);
  });

  it('takes the write lock at the start of a transaction, unless it only reads', async () => {
    const begins: string[] = [];
    const prepare = database.prepare.bind(database);
    vi.spyOn(database, 'prepare').mockImplementation((text) => {
      begins.push(text);
      return prepare(text);
    });
    await db.transaction().execute(async () => undefined);
    await db
      .transaction()
      .setAccessMode('read only')
      .execute(async () => undefined);
    expect(begins.filter((text) => text.startsWith('begin'))).toEqual(['begin immediate', 'begin']);
  });

  it('prepares a statement once, and forgets the one unused for longest beyond 100', async () => {
    const prepared = vi.spyOn(database, 'prepare');
    for (let round = 0; round < 3; round += 1) await listIds();
    expect(prepared).toHaveBeenCalledTimes(1);
    for (let index = 0; index < 100; index += 1) await sql`select ${sql.lit(index)}`.execute(db);
    await listIds();
    expect(prepared).toHaveBeenCalledTimes(102);
  });

  it('writes a limit into the text, as the number that it is', async () => {
    await db
      .insertInto('thing')
      .values([{ id: 'a' }, { id: 'b' }, { id: 'c' }].map((row) => ({ amount: null, flag: 0, ...row })))
      .execute();
    const query = db.selectFrom('thing').select('id').where('flag', '=', 0).orderBy('id').limit(2).offset(1);
    expect(query.compile()).toMatchObject({
      sql: 'select "id" from "thing" where "flag" = ? order by "id" limit 2 offset ?',
      parameters: [0, 1],
    });
    expect(await query.execute()).toEqual([{ id: 'b' }, { id: 'c' }]);
    const hostile: unknown = Reflect.apply(query.limit, query, ['1; drop table thing']);
    await expect(Reflect.apply(Reflect.get(Object(hostile), 'execute'), hostile, [])).rejects.toThrow();
    expect(await listIds()).toEqual(['a', 'b', 'c']);
  });

  it("passes on SQLite's error, and works on afterwards", async () => {
    await db.insertInto('thing').values({ id: 'a', amount: 1, flag: 1 }).execute();
    const again = db.insertInto('thing').values({ id: 'a', amount: 1, flag: 1 }).execute();
    await expect(again).rejects.toThrow('UNIQUE constraint failed: thing.id');
    expect(await listIds()).toEqual(['a']);
  });

  it('names the parameter that SQLite cannot store', async () => {
    const insert = sql`insert into thing (id, amount) values (${'a'}, ${{ an: 'object' }})`.execute(db);
    await expect(insert).rejects.toThrow('SQL parameter 2 is object, which SQLite cannot store');
  });

  it('streams rows, and the same query again after a stream that was left early', async () => {
    for (const id of ['a', 'b', 'c']) await db.insertInto('thing').values({ id, amount: 1, flag: 1 }).execute();
    const query = db.selectFrom('thing').select('id').orderBy('id');
    for await (const row of query.stream()) {
      expect(row.id).toBe('a');
      break;
    }
    const seen: string[] = [];
    for await (const row of query.stream()) seen.push(row.id);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('closes the database with Kysely', async () => {
    await listIds();
    await db.destroy();
    expect(database.isOpen).toBe(false);
  });
});
