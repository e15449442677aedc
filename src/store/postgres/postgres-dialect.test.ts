import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { databaseOf } from '../../../e2e/testing/postgres/databases.ts';
import { openStore, type Store } from '../open-store.ts';
import type { Tables } from '../schema.ts';
import { openPool } from './open-pool.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { isDatabaseGone, isNotAsked, isOfServer, NoPlace, NotConnected, ReadOnlyServer } from './postgres-errors.ts';

let folder: string;
let url: string;
/** Its tables are there; `db` is another instance's connections. */
let store: Store;
let db: Kysely<Tables>;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-dialect-'));
  url = await databaseOf(folder);
  store = await openStore(folder);
  db = connect(url);
});

afterEach(async () => {
  await db.destroy();
  await store.close();
  rmSync(folder, { recursive: true });
});

function connect(address: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: postgresDialect(openPool(address)) });
}

const app = { id: 'shop', name: 'Shop', public_key: 'p', secret_key: 's', created: 1, record: null, number: 2 };

async function readName(from: Kysely<Tables> = db): Promise<string | undefined> {
  return (await from.selectFrom('app').select('name').executeTakeFirst())?.name;
}

/** Resolves when somebody waits for the turn to write. */
async function waitForWaiting(): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(store.db);
    expect(rows).toHaveLength(1);
  }, 20_000);
}

describe('the turn to write', () => {
  it('is one transaction’s at a time, so what it has read is true until it has written', async () => {
    const counts: number[] = [];
    async function count(from: Kysely<Tables>): Promise<void> {
      await from.transaction().execute(async (trx) => {
        const { rows } = await sql<{ count: number }>`select count(*) as count from scrub_key`.execute(trx);
        const found = rows[0]?.count ?? 0;
        await wait(1);
        await trx
          .insertInto('scrub_key')
          .values({ name: `key ${found}`, created: 1 })
          .execute();
        counts.push(found);
      });
    }
    await Promise.all([db, store.db, db, store.db, db].map(count));
    expect(counts.toSorted()).toEqual([0, 1, 2, 3, 4]);
  });

  it('is waited for by a single statement that writes what is counted', async () => {
    const order: string[] = [];
    let alone: Promise<void> = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('app').values(app).execute();
      alone = store.db
        .deleteFrom('event')
        .where('side', '=', 'server')
        .execute()
        .then(() => void order.push('statement'));
      await waitForWaiting();
      order.push('transaction');
    });
    await alone;
    expect(order).toEqual(['transaction', 'statement']);
  });

  it('is not taken by who only reads, and what that reads stays as it was', async () => {
    await db.insertInto('app').values(app).execute();
    await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (trx) => {
        expect(await readName(trx)).toBe('Shop');
        await store.transact(async (writing) => void (await writing.updateTable('app').set({ name: 'New' }).execute()));
        expect(await readName(trx)).toBe('Shop');
      });
    expect(await readName()).toBe('New');
  });
});

describe('a transaction', () => {
  it('fails when it swallowed the error of a statement, and nothing of it is stored', async () => {
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('app').values(app).execute();
      await sql`select nothing`.execute(trx).catch(() => undefined);
    });
    await expect(failing).rejects.toThrow(/rolled back|aborted/);
    expect(await readName()).toBeUndefined();
  });

  it('reports its first error and undoes what it did', async () => {
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('app').values(app).execute();
      throw new Error('the first');
    });
    await expect(failing).rejects.toThrow('the first');
    expect(await readName()).toBeUndefined();
  });
});

describe('values', () => {
  it('come back as SQLite gives them', async () => {
    const { rows } =
      await sql`select 9007199254740991::bigint as a, 1.5::numeric as b, 1 = 1 as c, 1 = 2 as d, 'x' as e,
      null::text as f, sum(1::bigint) as g`.execute(db);
    expect(rows).toEqual([{ a: 9_007_199_254_740_991, b: 1.5, c: 1, d: 0, e: 'x', f: null, g: 1 }]);
  });

  it('are texts without NUL, numbers, bytes, and whether something is so', async () => {
    const given = sql`select ${'a\0b'}::text as a, ${7}::bigint as b, ${new Uint8Array([1, 0, 2])}::bytea as c, ${true}::bigint as d`;
    const { rows } = await given.execute(db);
    expect(rows).toEqual([{ a: 'a\uFFFDb', b: 7, c: Buffer.from([1, 0, 2]), d: 1 }]);
  });

  it('are nothing else', async () => {
    await expect(sql`select ${{ a: 1 }}`.execute(db)).rejects.toThrow('SQL parameter 1 is object');
  });

  it('count what a statement changed', async () => {
    const { numInsertedOrUpdatedRows } = await db.insertInto('app').orFail().values(app).executeTakeFirstOrThrow();
    expect(numInsertedOrUpdatedRows).toBe(1n);
    const { numDeletedRows } = await db.deleteFrom('app').executeTakeFirstOrThrow();
    expect(numDeletedRows).toBe(1n);
  });

  it('of SQLite’s other words are refused before they are sent', () => {
    expect(() => db.insertInto('app').orIgnore().values(app).compile()).toThrow('on conflict');
  });
});

describe('a server', () => {
  it('that ends a connection fails what was asked, and is connected to again', async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0}::int)`.execute(store.db);
    const lost = await sql`select 1`.execute(db).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(lost === undefined || isDatabaseGone(lost)).toBe(true);
    await expect(sql`select 1`.execute(db)).resolves.toBeDefined();
  });

  it('that is gone is told from one that refuses a statement', async () => {
    const nobody = connect(url.replace(/@[^/]+/, '@127.0.0.1:1'));
    const gone = await sql`select 1`.execute(nobody).catch((error: unknown) => error);
    expect(isDatabaseGone(gone)).toBe(true);
    const wrong = await sql`select nothing`.execute(db).catch((error: unknown) => error);
    expect([isDatabaseGone(wrong), isDatabaseGone(new Error('ours'))]).toEqual([false, false]);
    await nobody.destroy();
  });

  it.each(['EAI_AGAIN', 'ENOTFOUND', 'ETIMEDOUT', '57P03'])('is gone when the system or the server says %s', (code) => {
    const error = Object.assign(new Error('no'), { code });
    expect([isDatabaseGone(error), isOfServer(error)]).toEqual([true, true]);
  });

  it.each(['ERR_INVALID_ARG_TYPE', 'ERR_SQLITE_ERROR', '57014', '42501'])('is not gone because of %s', (code) => {
    expect(isNotAsked(Object.assign(new Error('no'), { code }))).toBe(false);
  });

  it('that can be connected to no more is gone, for whatever reason, and for who starts only when that may pass', async () => {
    const missing = connect(url.replace(/\/[^/]*$/, '/not_there'));
    const error = await sql`select 1`.execute(missing).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotConnected);
    expect(error).toMatchObject({ message: 'database "not_there" does not exist', cause: { code: '3D000' } });
    expect([isDatabaseGone(error), isOfServer(error)]).toEqual([true, false]);
    await missing.destroy();
  });

  it('has our limits on each connection, and gets none as a parameter of its start', async () => {
    const { rows } = await sql<{ name: string; setting: string; source: string }>`select name, setting, source
      from pg_settings where name ~ '^(statement_timeout|idle_in_transaction|tcp_keepalives)' order by name`.execute(
      db,
    );
    expect(rows.map(({ name, setting, source }) => `${name} ${setting} ${source}`)).toEqual([
      'idle_in_transaction_session_timeout 10000 session',
      'statement_timeout 30000 session',
      'tcp_keepalives_count 3 session',
      'tcp_keepalives_idle 10 session',
      'tcp_keepalives_interval 5 session',
    ]);
  });

  it('is not left because all connections to it are in use', async () => {
    const other = `${new URL(url).hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${new URL(url).port}`;
    const pool = openPool(url.replace(/@([^/]+)/, `@$1,${other}`), { most: 1 });
    const only = await pool.connect();
    const error = await pool.connect().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoPlace);
    expect([isDatabaseGone(error), isNotAsked(error)]).toEqual([false, true]);
    only.release(true);
    const next = await pool.connect();
    expect(next).toMatchObject({ host: new URL(url).hostname });
    next.release();
    await pool.end();
  }, 20_000);

  it('is found among several hosts', async () => {
    const several = connect(url.replace(/@([^/]+)/, '@127.0.0.1:1,127.0.0.1:2,$1'));
    const { rows } = await sql`select 1 as one`.execute(several);
    expect(rows).toEqual([{ one: 1 }]);
    await several.destroy();
  });

  it('is left once, however many connections to it break, and its idle connections are not used any more', async () => {
    // Two names of one server.
    const pool = openPool(
      url.replace(/@[^:/]+/, '@127.0.0.1').replace(/@([^/]+)/, `@$1,localhost:${new URL(url).port}`),
    );
    const readHost = (client: object) => ('host' in client ? client.host : undefined);
    const old = [await pool.connect(), await pool.connect(), await pool.connect()] as const;
    expect(old.map(readHost)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
    old[2].release();
    pool.avoidHost(old[0]);
    const next = await pool.connect();
    expect(readHost(next)).toBe('localhost');
    pool.avoidHost(old[1]);
    const last = await pool.connect();
    expect(readHost(last)).toBe('localhost');
    // What somebody uses stays his.
    await expect(old[1].query('select 1')).resolves.toBeDefined();
    for (const client of [old[0], old[1], next, last]) client.release();
    await pool.end();
  });

  it('that takes no writes is not connected to, unless somebody says so', async () => {
    const name = new URL(url).pathname.slice(1);
    const [standby, any] = [connect(url), connect(`${url}?target_session_attrs=any`)];
    await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(store.db);
    try {
      await expect(sql`select 1`.execute(standby)).rejects.toThrow(ReadOnlyServer);
      await expect(sql`select 1`.execute(any)).resolves.toBeDefined();
    } finally {
      await sql.raw(`alter database ${name} reset default_transaction_read_only`).execute(store.db);
      await standby.destroy();
      await any.destroy();
    }
  });
});
