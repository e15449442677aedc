import { sql } from 'kysely';

import { asBytes } from './as-bytes.ts';

/**
 * PostgreSQL's table `notification` (follow-notifications.ts), and what fills it. For each row the database sends one, too, when the
 * transaction commits. Tables whose rows servers keep in memory write theirs by a trigger: so it does not matter which process
 * changes them, and there is no moment between the change and its notification.
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

export const notificationChannel = 'flight_notification';

/** Milliseconds since 1970, by the clock of the database's machine. */
export const databaseTime = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

const table = `notification (id bigint generated always as identity primary key, topic text not null, sender text not null default '',
  hint text not null default '', time bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
  xact bigint not null default pg_current_xact_id()::text::bigint)`;

export const notificationStatements: readonly string[] = [
  `create table ${asBytes(table)}`,
  'create index notification_xact on notification (xact)',
  `create function notification_notify() returns trigger language plpgsql as $$
    begin
      perform pg_notify('${notificationChannel}', new.id || '|' || new.sender || '|' || new.topic || '|' || new.hint);
      return null;
    end $$`,
  'create trigger notification_notify after insert on notification for each row execute function notification_notify()',
  `create function news_tell() returns trigger language plpgsql as $$
    begin
      insert into notification (topic) values (tg_argv[0]);
      return null;
    end $$`,
  ...told.map(
    ({ table: changed, on, topic }) =>
      `create trigger ${changed}_news after ${on} on ${changed} for each statement execute function news_tell('${topic}')`,
  ),
];
