import { type Kysely, sql } from 'kysely';

import { ownApp } from './own-app.ts';
import type { Tables } from './schema.ts';

/**
 * Migration step 4: several apps. What is stored belongs to one of them. Everything that was there belongs to this server itself.
 *
 * An error's key was its digest. A digest of another framework names a fault, and comes back with each occurrence. So
 * the key becomes `id`, and `digest` is what the error page showed: for our own errors the same text.
 */
export async function createAppTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('app')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull().unique())
    .addColumn('secret_key', 'text', (column) => column.notNull().unique())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('record', 'text')
    .execute();
  await db.schema
    .createTable('refusal')
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('last_time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('refusal_key', ['app', 'endpoint', 'reason'])
    .execute();
  // An `alter table` takes one change in SQLite.
  const errors = db.schema.alterTable('error');
  await errors.renameColumn('digest', 'id').execute();
  await errors.addColumn('digest', 'text').execute();
  await errors.addColumn('app', 'text', (column) => column.notNull().defaultTo(ownApp)).execute();
  await errors.addColumn('framework', 'text', (column) => column.notNull().defaultTo('')).execute();
  await errors.addColumn('route', 'text', (column) => column.notNull().defaultTo('')).execute();
  await errors.addColumn('runtime', 'text', (column) => column.notNull().defaultTo('')).execute();
  await sql`update error set digest = id`.execute(db);
  await db.schema
    .alterTable('report')
    .addColumn('app', 'text', (column) => column.notNull().defaultTo(ownApp))
    .execute();
  await db.schema.createIndex('error_digest').on('error').columns(['digest', 'time']).execute();
  // With the bytes, so that retention adds them up without reading a row.
  await db.schema.createIndex('error_app').on('error').columns(['app', 'time', 'bytes']).execute();
  await db.schema.createIndex('report_app').on('report').columns(['app', 'received_at']).execute();
}
