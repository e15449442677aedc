import { type Kysely, sql } from 'kysely';

import type { Tables } from './schema.ts';

/**
 * Migration step 9: what several servers on one database share. A server that has its database for itself needs none of it, and
 * leaves these tables empty. PostgreSQL's: postgres/create-sharing-tables.ts.
 */
export async function createInstanceTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('lease')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('instance')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('build', 'text', (column) => column.notNull())
    .addColumn('started', 'bigint', (column) => column.notNull())
    .addColumn('seen', 'bigint', (column) => column.notNull())
    .addColumn('stopped', 'bigint')
    .addColumn('state_json', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('login_try')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('free_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('login_try_key', ['kind', 'network'])
    .execute();
  await db.schema
    .createTable('shared_value')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('app_deletion')
    .addColumn('app', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('started', 'bigint', (column) => column.notNull())
    .addColumn('flights_left', 'bigint')
    .addColumn('problem', 'text')
    .execute();
  await db.schema
    .createTable('news')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('sender', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('xact', 'bigint', (column) => column.notNull().defaultTo(sql`0`))
    .execute();
}
