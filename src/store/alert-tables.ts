import { type Kysely, sql } from 'kysely';

import type { Tables } from './schema.ts';

/** Migration step 7: alerts, and recording everything for a while. */
export async function createAlertTables(db: Kysely<Tables>): Promise<void> {
  await createAlerts(db);
  await db.schema
    .createTable('record_all')
    .addColumn('app', 'text', (column) => column.primaryKey().notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}

/**
 * The outbox is `fault_turn` itself: a turn that no alert was derived from yet has no `alerted`, and only
 * those are in the index. A mark on each turn does not depend on clocks, as a cursor over times would.
 */
async function createAlerts(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('fault_turn').addColumn('alerted', 'bigint').execute();
  await sql`create index fault_turn_unalerted on fault_turn (id) where alerted is null`.execute(db);
  await db.schema
    .createTable('alert_channel')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('secret', 'text')
    .addColumn('rules_json', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('paused', 'bigint')
    .addColumn('held_json', 'text', (column) => column.notNull().defaultTo('{}'))
    .addColumn('summed_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('alert_told')
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('fault', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('seen', 'bigint', (column) => column.notNull())
    .addColumn('held', 'text')
    .addColumn('volume_hour', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('alert_told_key', ['channel', 'fault'])
    .execute();
  await sql`create index alert_told_held on alert_told (time) where held is not null`.execute(db);
  await db.schema
    .createTable('alert_delivery')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('fault', 'text', (column) => column.notNull())
    .addColumn('content_json', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('next_time', 'bigint', (column) => column.notNull())
    .addColumn('last_time', 'bigint')
    .addColumn('answer', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema.createIndex('alert_delivery_channel').on('alert_delivery').columns(['channel', 'created']).execute();
  await db.schema.createIndex('alert_delivery_app').on('alert_delivery').column('app').execute();
  await sql`create index alert_delivery_waiting on alert_delivery (next_time) where state = 'waiting'`.execute(db);
}
