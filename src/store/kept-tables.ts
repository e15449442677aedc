import { type Kysely, sql } from 'kysely';

import type { Tables } from './schema.ts';

/**
 * What is kept of each app and of each fault, counted, so that limits and "132 of 48,210 kept" never count rows. Triggers count,
 * because rows are written, moved to another fault and deleted at many places: nobody can forget it, and each count
 * is right in the transaction that changes it.
 */
export async function createKeptTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('kept_app')
    .addColumn('side', 'text', (column) => column.notNull())
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('kept_app_key', ['side', 'app'])
    .execute();
  await db.schema
    .createTable('kept_fault')
    .addColumn('side', 'text', (column) => column.notNull())
    .addColumn('fault', 'text', (column) => column.notNull())
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('thin_at', 'bigint', (column) => column.notNull().defaultTo(firstThinnedAt))
    .addPrimaryKeyConstraint('kept_fault_key', ['side', 'fault'])
    .execute();
  // The fault with the most rows, of all apps or of one.
  await db.schema.createIndex('kept_fault_rows').on('kept_fault').columns(['side', 'rows']).execute();
  await db.schema.createIndex('kept_fault_app').on('kept_fault').columns(['side', 'app', 'rows']).execute();
  await sql`create index kept_fault_due on kept_fault (fault) where rows > thin_at`.execute(db);
  for (const side of ['error', 'report', 'feedback'] as const) await countApps(db, side);
  for (const side of ['error', 'report'] as const) await countFaults(db, side);
  await createScrubKeys(db);
  // Newest and oldest by receipt, with what thinning asks of a row: no row of the table is read.
  for (const side of ['error', 'report'] as const) {
    await db.schema.createIndex(`${side}_kept`).on(side).columns(['fault', 'received_at', 'ordinal']).execute();
  }
  // What a new report may replace; first occurrences come after all others.
  await sql`create index report_replaced on report (bytes) where ordinal is not 1`.execute(db);
}

async function createScrubKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('scrub_key')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .execute();
}

/** The first 10 and the newest 50, and the 32 from which on every second one is left out: src/reports/thin-fault.ts. */
const firstThinnedAt = 128;

type Side = 'error' | 'report' | 'feedback';

async function countApps(db: Kysely<Tables>, side: Side): Promise<void> {
  const [table, kind] = [sql.table(side), sql.lit(side)];
  await sql`insert into kept_app (side, app, rows, bytes)
    select ${kind}, app, count(*), sum(bytes) from ${table} group by app`.execute(db);
  const add = sql`insert into kept_app (side, app, rows, bytes) values (${kind}, new.app, 1, new.bytes)
    on conflict (side, app) do update set rows = rows + 1, bytes = bytes + excluded.bytes`;
  const remove = sql`update kept_app set rows = rows - 1, bytes = bytes - old.bytes where side = ${kind} and app = old.app`;
  await sql`create trigger ${sql.ref(`${side}_app_added`)} after insert on ${table} begin ${add}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_app_removed`)} after delete on ${table} begin ${remove}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_app_changed`)} after update of app, bytes on ${table}
    begin ${remove}; ${add}; end`.execute(db);
}

async function countFaults(db: Kysely<Tables>, side: 'error' | 'report'): Promise<void> {
  const [table, kind] = [sql.table(side), sql.lit(side)];
  const add = sql`insert into kept_fault (side, fault, app, rows) values (${kind}, new.fault, new.app, 1)
    on conflict (side, fault) do update set rows = rows + 1`;
  const subtract = sql`update kept_fault set rows = rows - 1 where side = ${kind} and fault = old.fault`;
  const forget = sql`delete from kept_fault where side = ${kind} and fault = old.fault and rows = 0`;
  await sql`create trigger ${sql.ref(`${side}_fault_added`)} after insert on ${table} when new.fault is not null
    begin ${add}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_fault_removed`)} after delete on ${table} when old.fault is not null
    begin ${subtract}; ${forget}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_fault_left`)} after update of fault on ${table} when old.fault is not null
    and old.fault is not new.fault begin ${subtract}; ${forget}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_fault_entered`)} after update of fault on ${table} when new.fault is not null
    and old.fault is not new.fault
    begin ${add}; end`.execute(db);
}
