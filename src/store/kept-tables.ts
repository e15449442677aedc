import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Tables } from './schema.ts';

/**
 * What is kept of each app and of each fault, counted, so that limits and "132 of 48,210 kept" never count rows. Triggers count,
 * because rows are written, moved to another fault and deleted at many places: nobody can forget it, and each count
 * is right in the transaction that changes it.
 *
 * A statement that fires triggers and may be undone alone keeps a copy of every page that it changes: 40 µs for a row with its
 * indexes. So those that insert many rows say `or fail`, since a row that cannot be stored rolls its transaction back anyway, and
 * no column here is `not null`, which SQLite would have to undo as well.
 */
export async function createKeptTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('kept_app')
    .addColumn('side', 'text')
    .addColumn('of_app', 'text')
    .addColumn('rows', 'bigint')
    .addColumn('bytes', 'bigint')
    .addPrimaryKeyConstraint('kept_app_key', ['side', 'of_app'])
    .execute();
  await db.schema
    .createTable('kept_fault')
    .addColumn('side', 'text')
    .addColumn('fault', 'text')
    .addColumn('of_app', 'text')
    .addColumn('rows', 'bigint')
    .addPrimaryKeyConstraint('kept_fault_key', ['side', 'fault'])
    .execute();
  for (const side of ['error', 'report'] as const) await countApps(db, side);
  await countFaultsOfApps(db);
  for (const side of ['error', 'report'] as const) {
    await countFaults(db, side);
    await numberRows(db, side);
  }
  await createKeptIndexes(db);
  await createScrubKeys(db);
}

async function createKeptIndexes(db: Kysely<Tables>): Promise<void> {
  // The fault with the most rows, of all apps or of one.
  await db.schema.createIndex('kept_fault_rows').on('kept_fault').columns(['side', 'rows']).execute();
  await db.schema.createIndex('kept_fault_app').on('kept_fault').columns(['side', 'of_app', 'rows']).execute();
  // By receipt: `time` is the sender's, and would let it choose which rows are the newest.
  for (const side of ['error', 'report'] as const) {
    await db.schema
      .createIndex(`${side}_kept`)
      .on(side)
      .columns(['fault', 'received_at', 'ordinal', 'bytes'])
      .execute();
  }
  // What a new report may replace; first occurrences come after all others.
  await sql`create index report_replaced on report (bytes) where ordinal is not 1`.execute(db);
  await db.schema.createIndex('feedback_received').on('feedback').column('received_at').execute();
  await db.schema.createIndex('fault_turn_occurrence').on('fault_turn').column('occurrence').execute();
  // The faults that were silent for longest.
  await db.schema.createIndex('fault_silent').on('fault').columns(['side', 'app', 'last_time']).execute();
  // Hours that are not the first of a day: those that become days when they are old.
  await sql`create index fault_hour_fine on fault_hour (hour) where hour % 86400000 <> 0`.execute(db);
}

async function createScrubKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('scrub_key')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .execute();
}

type Statements = { readonly add: RawBuilder<unknown>; readonly remove: RawBuilder<unknown> };

/** @param side SQL for the row's side, from `new` and from `old` */
function countRow(side: { new: RawBuilder<unknown>; old: RawBuilder<unknown> }, bytes: boolean): Statements {
  const [added, removed] = bytes ? [sql`new.bytes`, sql`old.bytes`] : [sql`0`, sql`0`];
  return {
    add: sql`insert into kept_app (side, of_app, rows, bytes) values (${side.new}, new.app, 1, ${added})
      on conflict (side, of_app) do update set rows = rows + 1, bytes = bytes + excluded.bytes`,
    remove: sql`update kept_app set rows = rows - 1, bytes = bytes - ${removed} where side = ${side.old} and of_app = old.app`,
  };
}

async function countApps(db: Kysely<Tables>, side: 'error' | 'report'): Promise<void> {
  const [table, kind] = [sql.table(side), sql.lit(side)];
  await sql`insert into kept_app (side, of_app, rows, bytes)
    select ${kind}, app, count(*), sum(bytes) from ${table} group by app`.execute(db);
  const { add, remove } = countRow({ new: kind, old: kind }, true);
  await sql`create trigger ${sql.ref(`${side}_app_added`)} after insert on ${table} begin ${add}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_app_removed`)} after delete on ${table} begin ${remove}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_app_changed`)} after update of app, bytes on ${table}
    begin ${remove}; ${add}; end`.execute(db);
}

/** Faults of servers and faults that only browsers claim are counted apart: they have limits of their own. */
async function countFaultsOfApps(db: Kysely<Tables>): Promise<void> {
  const { add, remove } = countRow({ new: sql`'fault-' || new.side`, old: sql`'fault-' || old.side` }, false);
  await sql`create trigger fault_app_added after insert on fault begin ${add}; end`.execute(db);
  await sql`create trigger fault_app_removed after delete on fault begin ${remove}; end`.execute(db);
  await sql`create trigger fault_app_changed after update of side, app on fault when old.side <> new.side or old.app <> new.app
    begin ${remove}; ${add}; end`.execute(db);
}

/** Who stores an occurrence writes its ordinal. For a row that got none it is what the fault has counted: a second write. */
async function numberRows(db: Kysely<Tables>, side: 'error' | 'report'): Promise<void> {
  const isMissing = sql`new.fault is not null and new.ordinal is null`;
  const number = sql`update ${sql.table(side)} set ordinal = (select count + claims from fault where id = new.fault)
    where rowid = new.rowid`;
  await sql`create trigger ${sql.ref(`${side}_number_added`)} after insert on ${sql.table(side)} when ${isMissing}
    begin ${number}; end`.execute(db);
  await sql`create trigger ${sql.ref(`${side}_number_entered`)} after update of fault on ${sql.table(side)} when ${isMissing}
    begin ${number}; end`.execute(db);
}

async function countFaults(db: Kysely<Tables>, side: 'error' | 'report'): Promise<void> {
  const [table, kind] = [sql.table(side), sql.lit(side)];
  const add = sql`insert into kept_fault (side, fault, of_app, rows) values (${kind}, new.fault, new.app, 1)
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
    and old.fault is not new.fault begin ${add}; end`.execute(db);
}
