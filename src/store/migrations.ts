import { type Kysely, sql } from 'kysely';

import { createAlertTables } from './alert-tables.ts';
import { createApiTokens } from './api-tables.ts';
import { createAppTables } from './app-tables.ts';
import { createFaultTables } from './fault-tables.ts';
import { createInstanceTables } from './instance-tables.ts';
import { createOperatorTables } from './operator-tables.ts';
import { createSearchTables } from './search-tables.ts';
import type { Tables } from './schema.ts';
import { createSourceMapTables } from './source-map-tables.ts';

/**
 * Numbered steps from an empty database to the tables of `schema.ts`. A released step is never edited: databases have
 * already run it. Each runs in one transaction together with the version's own change, so a
 * crash leaves either the old schema or the new one.
 *
 * Column types are ones that SQLite and PostgreSQL both know. A step uses the schema builder and `sql` alone: the typed
 * tables of `schema.ts` are those after the last step.
 */
export type Migration = { readonly name: string; readonly up: (db: Kysely<Tables>) => Promise<void> };

async function createErrors(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('error')
    .addColumn('digest', 'text', (column) => column.primaryKey().notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('trace_id', 'text', (column) => column.notNull())
    .addColumn('release', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('stack', 'text', (column) => column.notNull())
    .addColumn('frames_json', 'text', (column) => column.notNull())
    .addColumn('component_stack', 'text')
    .addColumn('causes_json', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('error_time').on('error').column('time').execute();
  await db.schema.createIndex('error_fingerprint').on('error').columns(['fingerprint', 'time']).execute();
}

async function createReports(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('report')
    .addColumn('event_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('digest', 'text')
    .addColumn('side', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('frames_json', 'text', (column) => column.notNull())
    .addColumn('component_stack', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('release', 'text')
    .addColumn('trace_id', 'text')
    .addColumn('breadcrumbs_json', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('report_digest').on('report').columns(['digest', 'received_at']).execute();
  await db.schema.createIndex('report_time').on('report').columns(['side', 'time']).execute();
  await db.schema.createIndex('report_received').on('report').column('received_at').execute();
  await db.schema.createIndex('report_fingerprint').on('report').columns(['fingerprint', 'time']).execute();
}

async function createOutcomes(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('outcome')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('last_time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('outcome_key', ['source', 'type', 'reason'])
    .execute();
}

/**
 * Adds to an error's row what happened in the request before it, and to rows their size, because the limits for what strangers
 * may store count bytes. The sizes of existing rows are computed here: limits count them from the first pass of retention on.
 */
async function addBreadcrumbsAndBytes(db: Kysely<Tables>): Promise<void> {
  const errors = db.schema.alterTable('error');
  await errors.addColumn('breadcrumbs_json', 'text', (column) => column.notNull().defaultTo('[]')).execute();
  await errors.addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  await db.schema
    .alterTable('report')
    .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update error set bytes = octet_length(message) + octet_length(stack) + octet_length(frames_json)
    + octet_length(causes_json) + coalesce(octet_length(component_stack), 0)`.execute(db);
  await sql`update report set bytes = octet_length(message) + octet_length(frames_json) + octet_length(breadcrumbs_json)
    + coalesce(octet_length(component_stack), 0)`.execute(db);
  // Each error of the server had a second row, a report of its own. Its breadcrumbs, which the error lacked, move over.
  await sql`update error set breadcrumbs_json = coalesce((select breadcrumbs_json from report
    where report.digest = error.digest and report.side = 'server' limit 1), '[]')`.execute(db);
  await sql`delete from report where side = 'server'`.execute(db);
  await sql`update error set bytes = bytes + octet_length(breadcrumbs_json)`.execute(db);
  await db.schema.createIndex('report_bytes').on('report').column('bytes').execute();
}

export const migrations: readonly Migration[] = [
  {
    name: 'errors, reports and outcomes',
    async up(db) {
      await createErrors(db);
      await createReports(db);
      await createOutcomes(db);
    },
  },
  { name: 'sessions, login links and the password', up: createOperatorTables },
  { name: 'breadcrumbs of errors, sizes of rows', up: addBreadcrumbsAndBytes },
  { name: 'several apps, and errors whose digest is not their key', up: createAppTables },
  { name: 'faults', up: createFaultTables },
  { name: 'source maps', up: createSourceMapTables },
  { name: 'alerts, and recording everything for a while', up: createAlertTables },
  { name: 'search', up: createSearchTables },
  { name: 'what several servers share', up: createInstanceTables },
  { name: 'tokens of the API', up: createApiTokens },
];

async function readVersion(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
  return rows[0]?.user_version ?? 0;
}

/** @throws when a newer version of the app wrote the database: its columns may mean something else. */
export function refuseNewerVersion(found: number, newest: number = migrations.length): void {
  if (found <= newest) return;
  throw new Error(
    `The database has schema version ${found}, this build knows up to ${newest}. ` +
      'Start the newer build again, or point FLIGHT_DATA at another folder.',
  );
}

/**
 * Brings `db` to the newest schema. The version is read again inside each transaction, because a second process may be
 * doing the same at this moment.
 * @param steps for tests; the app always runs all of them.
 * @throws when a newer version of the app wrote the database
 */
export async function migrate(db: Kysely<Tables>, steps: readonly Migration[] = migrations): Promise<void> {
  refuseNewerVersion(await readVersion(db), steps.length);
  for (const [index, step] of steps.entries()) {
    const version = index + 1;
    await db.transaction().execute(async (trx) => {
      if ((await readVersion(trx)) >= version) return;
      await step.up(trx);
      // A pragma takes no parameters; the number is our own.
      await sql`pragma user_version = ${sql.lit(version)}`.execute(trx);
    });
  }
}
