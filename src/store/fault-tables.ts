import { type Kysely, sql } from 'kysely';

import { createKeptTables } from './kept-tables.ts';
import { ownApp } from './own-app.ts';
import type { Tables } from './schema.ts';

/**
 * Migration step 5: faults. A fault is what several occurrences share. An occurrence names its fingerprint (its hash), and
 * `fault_hash` says which fault has that hash. Counts belong to the hash, so merging and splitting faults only moves hashes.
 */
export async function createFaultTables(db: Kysely<Tables>): Promise<void> {
  await createFaults(db);
  await createCounts(db);
  await createTurns(db);
  await createFeedback(db);
  await widenOccurrences(db);
  await countOutcomesByApp(db);
  await numberApps(db);
  await createKeptTables(db);
}

async function createFaults(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('fault')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('side', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('culprit', 'text', (column) => column.notNull())
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('state_json', 'text', (column) => column.notNull())
    .addColumn('state_time', 'bigint', (column) => column.notNull())
    .addColumn('news', 'text')
    .addColumn('first_time', 'bigint', (column) => column.notNull())
    .addColumn('last_time', 'bigint', (column) => column.notNull())
    .addColumn('first_release', 'text', (column) => column.notNull())
    .addColumn('last_release', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('claims', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('users', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('merged_into', 'text')
    .execute();
  await db.schema.createIndex('fault_last').on('fault').columns(['state', 'last_time']).execute();
  // What is new or came back is few, and so is what was merged: as a whole, the second would be taken for all that were not.
  await sql`create index fault_news on fault (last_time, app) where news is not null and merged_into is null`.execute(
    db,
  );
  await sql`create index fault_merged on fault (merged_into) where merged_into is not null`.execute(db);
  // How many there are, without reading them.
  await db.schema.createIndex('fault_count').on('fault').columns(['app', 'state', 'merged_into', 'news']).execute();
  await db.schema.createIndex('fault_app').on('fault').columns(['app', 'last_time']).execute();
  await db.schema
    .createTable('fault_hash')
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('fault', 'text', (column) => column.notNull())
    .addColumn('rule', 'text', (column) => column.notNull())
    .addColumn('algorithm', 'bigint', (column) => column.notNull())
    .addColumn('parts_json', 'text', (column) => column.notNull())
    .addColumn('side', 'text', (column) => column.notNull())
    .addColumn('first_time', 'bigint', (column) => column.notNull())
    .addColumn('last_time', 'bigint', (column) => column.notNull())
    .addColumn('first_release', 'text', (column) => column.notNull())
    .addColumn('last_release', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('fault_hash_key', ['app', 'hash'])
    .execute();
  await db.schema.createIndex('fault_hash_fault').on('fault_hash').column('fault').execute();
  await db.schema
    .createTable('app_release')
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('side', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('first_time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('app_release_key', ['app', 'side', 'name'])
    .execute();
}

/** Kept for good: an hour of a hash is one small row. */
async function createCounts(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('fault_hour')
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('claims', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('fault_hour_key', ['app', 'hash', 'hour'])
    .execute();
  await db.schema.createIndex('fault_hour_time').on('fault_hour').columns(['hour', 'app', 'hash']).execute();
  await db.schema
    .createTable('fault_user')
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('user_key', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('fault_user_key', ['app', 'hash', 'user_key'])
    .execute();
}

async function createTurns(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('fault_turn')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('fault', 'text', (column) => column.notNull())
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('occurrence', 'text')
    .addColumn('detail_json', 'text', (column) => column.notNull())
    .addColumn('batch', 'text')
    .addColumn('undone', 'bigint')
    .execute();
  await db.schema.createIndex('fault_turn_fault').on('fault_turn').columns(['fault', 'id']).execute();
  await db.schema.createIndex('fault_turn_batch').on('fault_turn').column('batch').execute();
}

async function createFeedback(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('feedback')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text')
    .addColumn('digest', 'text')
    .addColumn('trace_id', 'text')
    .addColumn('fault', 'text')
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('feedback_fault').on('feedback').columns(['fault', 'received_at']).execute();
  await db.schema.createIndex('feedback_digest').on('feedback').columns(['digest', 'received_at']).execute();
  await db.schema.createIndex('feedback_event').on('feedback').column('event_id').execute();
}

async function widenOccurrences(db: Kysely<Tables>): Promise<void> {
  for (const table of ['error', 'report'] as const) {
    // An `alter table` takes one change in SQLite.
    const rows = db.schema.alterTable(table);
    await rows.addColumn('fault', 'text').execute();
    await rows.addColumn('level', 'text', (column) => column.notNull().defaultTo('error')).execute();
    await rows.addColumn('environment', 'text', (column) => column.notNull().defaultTo('')).execute();
    await rows.addColumn('sdk', 'text', (column) => column.notNull().defaultTo('')).execute();
    await rows.addColumn('tags_json', 'text', (column) => column.notNull().defaultTo('{}')).execute();
    await rows.addColumn('extra_json', 'text', (column) => column.notNull().defaultTo('{}')).execute();
    await rows.addColumn('user_key', 'text').execute();
    await rows.addColumn('ordinal', 'bigint').execute();
    await db.schema.createIndex(`${table}_fault`).on(table).columns(['fault', 'time']).execute();
  }
  await db.schema
    .alterTable('error')
    .addColumn('received_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update error set received_at = time`.execute(db);
  const reports = db.schema.alterTable('report');
  await reports.addColumn('causes_json', 'text', (column) => column.notNull().defaultTo('[]')).execute();
  await db.schema
    .alterTable('report')
    .addColumn('waits', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  // Hardly any report waits for its server's error, so each error of a server looks into an index that is nearly empty.
  await sql`create index report_waits_digest on report (digest) where waits = 1`.execute(db);
  await sql`create index report_waits_trace on report (trace_id, received_at) where waits = 1`.execute(db);
  await db.schema.createIndex('error_trace').on('error').columns(['trace_id', 'time']).execute();
  await db.schema.createIndex('report_trace').on('report').columns(['trace_id', 'received_at']).execute();
}

/** SQLite cannot change a primary key: the table is made again. */
async function countOutcomesByApp(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('outcome').renameTo('outcome_before').execute();
  await db.schema
    .createTable('outcome')
    .addColumn('app', 'text', (column) => column.notNull().defaultTo(ownApp))
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('last_time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('outcome_of_app', ['app', 'source', 'type', 'reason'])
    .execute();
  await sql`insert into outcome (app, source, type, reason, count, last_time)
    select ${sql.lit(ownApp)}, source, type, reason, count, last_time from outcome_before`.execute(db);
  await db.schema.dropTable('outcome_before').execute();
}

/** A DSN names its project by a number. 1 is this server's own. */
async function numberApps(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('app').addColumn('number', 'bigint').execute();
  await sql`update app set number = 1 + (select count(*) from app as earlier where earlier.id <= app.id)`.execute(db);
  await db.schema.createIndex('app_number').unique().on('app').column('number').execute();
}
