import { existsSync, mkdirSync } from 'node:fs';

import { inject } from 'vitest';

import { locks } from '#src/store/postgres/locks.ts';

import { askDatabase } from './ask-database.ts';

/**
 * A database of its own for each data folder of a test. Making one takes a tenth of a second and up to a second on a busy machine, so
 * the databases of a test process are used again, emptied, when the folder of the test before is gone.
 */
type Slot = { readonly url: string; folder: string | undefined; isEmpty: boolean };

const slots: Slot[] = [];

function nameUrl(name: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

/** Vitest numbers the processes that run at the same time; those that follow each other have the same number. */
async function makeSlot(): Promise<Slot> {
  const base = new URL(inject('postgresUrl')).pathname.slice(1);
  const name = `${base}_${process.env['VITEST_POOL_ID'] ?? '0'}_${slots.length}`;
  const known = await askDatabase(inject('postgresUrl'), `select 1 from pg_database where datname = '${name}'`);
  if (known.length === 0) await askDatabase(inject('postgresUrl'), `create database ${name}`);
  const slot: Slot = { url: nameUrl(name), folder: undefined, isEmpty: known.length === 0 };
  slots.push(slot);
  return slot;
}

/**
 * Rows are deleted, which takes some milliseconds: `truncate` makes a hundred new files. Triggers and references would only delete in
 * another order. What the tests begin to count is counted from 1. The tables of flights are made anew: their rows are in tables with
 * a number (src/flights/writer/postgres/tables.ts).
 */
const empty = `do $$ declare one record; begin
  perform pg_advisory_xact_lock(${locks.write});
  set local session_replication_role = replica;
  drop table if exists flight, body, attachment, build_modules, flight_digest, flight_part, flight_version, forged, installed, kept, leak, loss, span, storm;
  drop sequence if exists flight_number, body_number;
  for one in select c.oid::regclass as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.relname not in ('schema_version', 'data_version') and not c.relispartition loop
    execute format('delete from %s', one.name);
  end loop;
  for one in select c.oid::regclass as name from pg_class c where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace loop
    execute format('alter sequence %s restart', one.name);
  end loop;
end $$`;

/** @returns the address of the database that stands for `folder`, which is made as SQLite's store would make it */
export async function databaseOf(folder: string): Promise<string> {
  const own = slots.find((slot) => slot.folder === folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (own) return own.url;
  const free = slots.find((slot) => slot.folder === undefined || !existsSync(slot.folder));
  if (free) free.folder = folder;
  const slot = free ?? (await makeSlot());
  slot.folder = folder;
  if (!slot.isEmpty) await askDatabase(slot.url, empty);
  slot.isEmpty = false;
  return slot.url;
}
