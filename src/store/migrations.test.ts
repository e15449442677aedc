import { DatabaseSync } from 'node:sqlite';

import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { migrate, migrations } from './migrations.ts';
import { nodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Tables } from './schema.ts';

let database: DatabaseSync;
let db: Kysely<Tables>;

beforeEach(() => {
  database = new DatabaseSync(':memory:');
  db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) });
});

afterEach(() => database.close());

/** Without those that FTS5 makes for its own. */
function tables(): unknown[] {
  return database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'search_text_%' order by name")
    .all()
    .map((row) => row['name']);
}

function version(): unknown {
  return database.prepare('pragma user_version').get()?.['user_version'];
}

describe('migrate', () => {
  it('brings an empty database to the newest schema, once', async () => {
    await migrate(db);
    expect(tables()).toEqual([
      'alert_channel',
      'alert_delivery',
      'alert_told',
      'api_token',
      'app',
      'app_deletion',
      'app_release',
      'error',
      'fault',
      'fault_facet',
      'fault_hash',
      'fault_hour',
      'fault_turn',
      'fault_user',
      'feedback',
      'instance',
      'kept_app',
      'kept_fault',
      'lease',
      'login_link',
      'login_try',
      'map_bundle',
      'map_file',
      'news',
      'outcome',
      'password',
      'record_all',
      'refusal',
      'report',
      'scrub_key',
      'search_due',
      'search_row',
      'search_text',
      'session',
      'shared_value',
    ]);
    expect(version()).toBe(migrations.length);
    await migrate(db);
    expect(version()).toBe(migrations.length);
  });

  it('runs only the steps that are missing', async () => {
    const ran: string[] = [];
    const first = { name: 'first', up: async () => void ran.push('first') };
    const second = { name: 'second', up: async () => void ran.push('second') };
    await migrate(db, [first]);
    await migrate(db, [first, second]);
    expect(ran).toEqual(['first', 'second']);
    expect(version()).toBe(2);
  });

  it('undoes a step that fails half-way, and keeps those before it', async () => {
    const good = {
      name: 'good',
      up: async (trx: Kysely<Tables>) => void (await sql`create table good (id integer)`.execute(trx)),
    };
    const bad = {
      name: 'bad',
      async up(trx: Kysely<Tables>) {
        await sql`create table bad (id integer)`.execute(trx);
        throw new Error('no luck');
      },
    };
    await expect(migrate(db, [good, bad])).rejects.toThrow('no luck');
    expect(tables()).toEqual(['good']);
    expect(version()).toBe(1);
  });

  it('moves breadcrumbs of the server into the rows of its errors, and computes the sizes of rows, in bytes', async () => {
    await migrate(db, migrations.slice(0, 2));
    database.exec(
      `insert into error values ('d', 'f', 1, 'rsc', 'document', 'GET', '/', '', '', '', 'Error', 'é', 'st', '[]', 'cs', '[]')`,
    );
    database.exec(
      `insert into report values ('e', null, 'browser', 'f', 1, 1, 'Error', 'é', '/', '[]', null, null, null, null, '[1]')`,
    );
    database.exec(
      `insert into report values ('s', 'd', 'server', 'f', 1, 1, 'Error', 'm', '/', '[]', null, null, null, null, '["é"]')`,
    );
    await migrate(db);
    expect(database.prepare('select bytes, breadcrumbs_json from error').all()).toEqual([
      { bytes: 2 + 2 + 2 + 2 + 2 + 6, breadcrumbs_json: '["é"]' },
    ]);
    expect(database.prepare('select event_id, bytes from report').all()).toEqual([{ event_id: 'e', bytes: 7 }]);
  });

  it('finds a digest, a time and a fingerprint through an index', async () => {
    await migrate(db);
    function plan(query: string): string {
      return String(database.prepare(`explain query plan ${query}`).get()?.['detail']);
    }
    expect(plan("select * from error where digest = 'x'")).toContain('USING INDEX');
    expect(plan('select * from error order by time desc limit 5')).toContain('USING INDEX error_time');
    expect(plan("select * from error where fingerprint = 'x' order by time")).toContain('error_fingerprint');
    expect(plan("select * from report where digest = 'x' order by received_at")).toContain('report_digest');
    expect(plan("select * from report where side = 'browser' order by time desc limit 5")).toContain('report_time');
  });
});
