import type { Kysely } from 'kysely';

import type { Tables } from './schema.ts';

/** Migration step 2: who may sign in, and who is signed in. No table holds a secret that could be used as it is stored. */
export async function createOperatorTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('session')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('last_seen', 'bigint', (column) => column.notNull())
    .addColumn('expires', 'bigint', (column) => column.notNull())
    .addColumn('opened_by', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('login_link')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('expires', 'bigint', (column) => column.notNull())
    .addColumn('used', 'bigint')
    .execute();
  await db.schema
    .createTable('password')
    .addColumn('account', 'text', (column) => column.primaryKey().notNull())
    .addColumn('memory_kib', 'integer', (column) => column.notNull())
    .addColumn('passes', 'integer', (column) => column.notNull())
    .addColumn('parallelism', 'integer', (column) => column.notNull())
    .addColumn('salt', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute();
}
