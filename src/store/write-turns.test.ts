import { DatabaseSync } from 'node:sqlite';

import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { createTurnUser } from '#src/workers/write-turn.ts';

import { nodeSqliteDialect } from './node-sqlite-dialect.ts';

type Sample = { thing: { id: string } };

let database: DatabaseSync;
let db: Kysely<Sample>;
/** What the primary is told, in order with what happens meanwhile. */
let told: string[];
/** Gives the turn that was asked for. */
let begin: () => void;

/** With a primary that answers in the next turn of the event loop, or when the test says so. */
function open(isPrompt = true): void {
  const turn = createTurnUser({
    ask() {
      told.push('ask');
      if (isPrompt) setImmediate(turn.begin);
    },
    giveBack: () => void told.push('back'),
  });
  begin = turn.begin;
  db = new Kysely<Sample>({ dialect: nodeSqliteDialect(database, undefined, turn) });
}

beforeEach(() => {
  told = [];
  database = new DatabaseSync(':memory:');
  database.exec('create table thing (id text primary key)');
  open();
});

afterEach(() => {
  if (database.isOpen) database.close();
});

function insert(id: string) {
  return db.insertInto('thing').values({ id });
}

it('asks nobody to read', async () => {
  await db.selectFrom('thing').selectAll().execute();
  await sql`select 1`.execute(db);
  await sql`pragma page_count`.execute(db);
  await db
    .transaction()
    .setAccessMode('read only')
    .execute((trx) => trx.selectFrom('thing').selectAll().execute());
  expect(told).toEqual([]);
});

it('waits for the turn before a statement that writes, and gives it back after', async () => {
  open(false);
  const inserting = insert('a').returning('id').execute();
  await new Promise((resolve) => setImmediate(resolve));
  expect([told, database.prepare('select id from thing').all()]).toEqual([['ask'], []]);
  begin();
  expect(await inserting).toEqual([{ id: 'a' }]);
  expect(told).toEqual(['ask', 'back']);
  open();
  await sql`with old as (select id from thing) delete from thing where id in (select id from old)`.execute(db);
  expect(told).toEqual(['ask', 'back', 'ask', 'back']);
});

it('has one turn for a transaction, from before it begins until it has ended', async () => {
  await db.transaction().execute(async (trx) => {
    told.push('begun');
    await trx.insertInto('thing').values({ id: 'a' }).execute();
    await trx.selectFrom('thing').selectAll().execute();
    told.push('written');
  });
  expect(told).toEqual(['ask', 'begun', 'written', 'back']);
});

it('gives the turn back when a statement, a transaction or its end fails', async () => {
  await insert('a').execute();
  told = [];
  await expect(insert('a').execute()).rejects.toThrow('UNIQUE');
  await expect(db.transaction().execute(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  database.exec('begin');
  await expect(db.transaction().execute(async () => undefined)).rejects.toThrow('within a transaction');
  database.exec('rollback');
  database.exec(
    'pragma foreign_keys = on; create table child (of text references thing deferrable initially deferred)',
  );
  const failing = db.transaction().execute((trx) => sql`insert into child values ('nobody')`.execute(trx));
  await expect(failing).rejects.toThrow('FOREIGN KEY');
  expect(told).toEqual(Array.from({ length: 4 }, () => ['ask', 'back']).flat());
  await insert('b').execute();
  expect(database.prepare('select id from thing').all()).toHaveLength(2);
});

it('begins no transaction without its turn', async () => {
  open(false);
  const running = db.transaction().execute((trx) => trx.insertInto('thing').values({ id: 'a' }).execute());
  await new Promise((resolve) => setImmediate(resolve));
  expect(database.isTransaction).toBe(false);
  begin();
  await running;
  expect(told).toEqual(['ask', 'back']);
});
