import { DatabaseSync } from 'node:sqlite';

import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { eventColumns } from './event-columns.ts';
import { columnSteps, firstVersion, migrate, migrations, versionAfter } from './migrations.ts';
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
      'alert_sent',
      'api_token',
      'app',
      'app_deletion',
      'app_release',
      'event',
      'fault',
      'fault_activity',
      'fault_facet',
      'fault_hash',
      'fault_hour',
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
      'notification',
      'outcome',
      'password',
      'past_digest',
      'past_origin',
      'record_all',
      'refusal',
      'scrub_key',
      'search_due',
      'search_row',
      'search_text',
      'session',
      'shared_value',
    ]);
    expect(version()).toBe(versionAfter(migrations));
    await migrate(db);
    expect(version()).toBe(versionAfter(migrations));
  });

  it('runs only the steps that are missing', async () => {
    const ran: string[] = [];
    const first = { name: 'first', up: async () => void ran.push('first') };
    const second = { name: 'second', up: async () => void ran.push('second') };
    await migrate(db, [first]);
    await migrate(db, [first, second]);
    expect(ran).toEqual(['first', 'second']);
    expect(version()).toBe(firstVersion + 1);
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
    expect(version()).toBe(firstVersion);
  });

  it('gives an older database the columns that came since, and a new one has them already', async () => {
    const added = { name: 'shard', type: "text not null default 'none'", since: firstVersion + 1 };
    const first = migrations.slice(0, 1);
    const later = columnSteps(undefined, [added, { ...added, name: 'digest' }]);
    const steps = [...first, ...later.map(([, step]) => step)];
    await migrate(db, first);
    database.exec(`insert into event (id, fingerprint, time, received_at, path, name, message, frames_json, side)
      values ('a', 'f', 1, 1, '/', 'Error', 'm', '[]', 'server')`);
    await migrate(db, steps);
    expect(database.prepare('select id, shard, digest from event').all()).toEqual([
      expect.objectContaining({ id: 'a', shard: 'none', digest: null }),
    ]);
    expect(version()).toBe(versionAfter(steps));
  });

  it('gives an older database the indexes of digests by app', async () => {
    const columns = () =>
      database.prepare("select name from pragma_index_info('event_digest_told') order by seqno").all();
    await migrate(db, migrations.slice(0, 1));
    database.exec(
      "drop index event_digest_told; create index event_digest_told on event (digest, time, app) where side = 'server'",
    );
    await migrate(db);
    expect(columns().map(({ name }) => name)).toEqual(['digest', 'app', 'time']);
    expect(version()).toBe(versionAfter(migrations));
  });

  it('gives the maps of an older database their time, and leaves what PostgreSQL could not index', async () => {
    await migrate(db, migrations.slice(0, 24 - firstVersion));
    database.exec(`drop index map_file_url; drop index map_file_debug; alter table map_file drop column created;
      create index map_file_url on map_file (app, url); create index map_file_debug on map_file (app, debug_id);
      insert into map_bundle values ('b', 'shop', 'r', '', 'c', 7, 8);
      insert into map_file values ('b', 'shop', 'r', '~/a.js', null, 'h', 1), ('b', 'shop', 'r', '~/${'x'.repeat(501)}', null, 'i', 1)`);
    await migrate(db);
    expect(database.prepare('select url, created from map_file').all()).toEqual([
      expect.objectContaining({ url: '~/a.js', created: 7 }),
    ]);
    const columns = database.prepare("select name from pragma_index_info('map_file_url') order by seqno").all();
    expect(columns.map(({ name }) => name)).toEqual(['app', 'url', 'release', 'created']);
    expect(version()).toBe(versionAfter(migrations));
  });

  it('has a step at each number', () => {
    const later = eventColumns.flatMap(({ since }) => since ?? []);
    for (const since of later) expect(migrations[since - firstVersion]?.name).toBe(`columns of ${since}`);
    expect(versionAfter(migrations)).toBeGreaterThanOrEqual(Math.max(firstVersion, ...later));
  });

  it('refuses a database from before the first release, as it is', async () => {
    database.exec('create table error (id); pragma user_version = 17');
    await expect(migrate(db)).rejects.toThrow(
      'schema version 17, from before the first release, and this build begins with 18. It was left as it is',
    );
    expect([tables(), version()]).toEqual([['error'], 17]);
  });

  it('finds a digest, a time and a fingerprint through an index', async () => {
    await migrate(db);
    function plan(query: string): string {
      return String(database.prepare(`explain query plan ${query}`).get()?.['detail']);
    }
    const told = "select * from event where side = 'server'";
    const untrusted = "select * from event where side = 'browser'";
    expect(plan(`${told} and digest = 'x' order by time`)).toContain('USING INDEX event_digest_told');
    expect(plan(`${untrusted} and digest = 'x' order by received_at`)).toContain('USING INDEX event_digest_untrusted');
    expect(plan(`${told} and trace_id = 'x' order by time`)).toContain('event_trace_told');
    expect(plan(`${untrusted} and trace_id = 'x' order by received_at`)).toContain('event_trace_untrusted');
    expect(plan(`${told} order by received_at desc limit 5`)).toContain('USING INDEX event_received_told');
    expect(plan(`${untrusted} order by bytes desc limit 5`)).toContain('event_bytes');
    expect(plan(`${told} and fault is null and time > 5 order by time desc`)).toContain('event_fault');
    expect(plan("select * from event where fingerprint = 'x' and side = 'server' order by time")).toContain(
      'event_fingerprint',
    );
  });
});
