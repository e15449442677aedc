import { type Kysely, sql } from 'kysely';

import type { Tables } from '../schema.ts';
import { asBytes } from './as-bytes.ts';

/**
 * PostgreSQL's table `news` (follow-news.ts), and what fills it. Each row is also a notification, sent by the database when the
 * transaction commits. Tables whose rows servers keep in memory write news themselves, by a trigger: so it does not matter which
 * process changes them, and there is no moment between the change and the news of it.
 *
 * `xact` is the transaction that wrote the row: ids are given before the commit, so they cannot say what is new to a reader.
 */
const told = [
  // Not `update`: `last_seen` is written once a minute, and no other server has to know.
  { table: 'session', on: 'insert or delete', topic: 'sessions' },
  { table: 'app', on: 'insert or update or delete', topic: 'apps' },
  { table: 'record_all', on: 'insert or update or delete', topic: 'apps' },
  { table: 'app_deletion', on: 'insert or delete', topic: 'apps' },
  { table: 'scrub_key', on: 'insert or update or delete', topic: 'scrub-keys' },
] as const;

export const newsChannel = 'flight_news';

/** Milliseconds since 1970, by the clock of the database's machine. */
export const databaseTime = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

const tables = [
  `lease (name text not null primary key, holder text not null, until bigint not null)`,
  `instance (id text not null primary key, host text not null, pid integer not null, origin text not null, version text not null,
    build text not null, started bigint not null, seen bigint not null, stopped bigint, state_json text not null)`,
  `login_try (kind text not null, network text not null, free_at bigint not null, primary key (kind, network))`,
  `shared_value (name text not null primary key, value text not null)`,
  `app_deletion (app text not null primary key, name text not null, started bigint not null, flights_left bigint, problem text)`,
  `news (id bigint generated always as identity primary key, topic text not null, sender text not null default '',
    hint text not null default '', time bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
    xact bigint not null default pg_current_xact_id()::text::bigint)`,
];

async function createNewsTriggers(db: Kysely<Tables>): Promise<void> {
  await sql`create function news_notify() returns trigger language plpgsql as $$
    begin
      perform pg_notify(${sql.lit(newsChannel)}, new.id || '|' || new.sender || '|' || new.topic || '|' || new.hint);
      return null;
    end $$`.execute(db);
  await sql`create trigger news_notify after insert on news for each row execute function news_notify()`.execute(db);
  await sql`create function news_tell() returns trigger language plpgsql as $$
    begin
      insert into news (topic) values (tg_argv[0]);
      return null;
    end $$`.execute(db);
  for (const { table, on, topic } of told) {
    await sql`create trigger ${sql.id(`${table}_news`)} after ${sql.raw(on)} on ${sql.table(table)}
      for each statement execute function news_tell(${sql.lit(topic)})`.execute(db);
  }
}

/** What several servers share: the tables of SQLite's step 9, and what writes `news`. */
export async function createSharingTables(db: Kysely<Tables>): Promise<void> {
  for (const table of tables) await sql.raw(`create table ${asBytes(table)}`).execute(db);
  await sql`create index news_xact on news (xact)`.execute(db);
  await createNewsTriggers(db);
}
