import { type Kysely, sql } from 'kysely';

import type { Tables } from '../schema.ts';
import { locks } from './locks.ts';

/**
 * The counters of ../kept-tables.ts and the notes of ../search-tables.ts, in PostgreSQL's words. What is deleted is counted once for
 * each statement: retention deletes a hundred rows at once.
 *
 * A statement that writes takes the turn to write even where no transaction was begun: else the counters of two statements that
 * touch several apps could be locked in two orders, and each would wait for the other.
 */

/** One row of a counter more. `rows` alone would be ambiguous in an upsert. */
function add(side: string, app: string, bytes: string): string {
  return `insert into kept_app (side, of_app, rows, bytes) values (${side}, ${app}, 1, ${bytes})
    on conflict (side, of_app) do update set rows = kept_app.rows + 1, bytes = kept_app.bytes + excluded.bytes;`;
}

function remove(side: string, app: string, bytes: string): string {
  return `update kept_app set rows = rows - 1, bytes = bytes - ${bytes} where side = ${side} and of_app = ${app};`;
}

type Source = { readonly table: 'error' | 'report'; readonly key: 'id' | 'event_id'; readonly more: string };

const sources: readonly Source[] = [
  { table: 'error', key: 'id', more: ', route' },
  { table: 'report', key: 'event_id', more: '' },
];

const searched =
  'app, fingerprint, name, message, path, release, environment, frames_json, causes_json, breadcrumbs_json, tags_json';

function writeFunction(name: string, body: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$ ${body} $$`;
}

function noteForSearch({ table, key }: Source): string {
  return `insert into search_row (source, key, app, hash) values ('${table}', new.${key}, new.app, new.fingerprint)
      on conflict (source, key) do update set app = excluded.app, hash = excluded.hash;
    insert into search_due (id) select id from search_row where source = '${table}' and key = new.${key} on conflict do nothing;`;
}

function enterFault({ table }: Source): string {
  return `insert into kept_fault (side, fault, of_app, rows) values ('${table}', new.fault, new.app, 1)
    on conflict (side, fault) do update set rows = kept_fault.rows + 1;`;
}

function leaveFault({ table }: Source): string {
  return `update kept_fault set rows = rows - 1 where side = '${table}' and fault = old.fault;
    delete from kept_fault where side = '${table}' and fault = old.fault and rows = 0;`;
}

/** Who stores an occurrence writes its ordinal. A row that got none gets what its fault has counted. */
function numberRow({ table }: Source): string[] {
  const isMissing = 'new.fault is not null and new.ordinal is null';
  return [
    writeFunction(
      `${table}_number`,
      'begin new.ordinal := (select count + claims from fault where id = new.fault); return new; end',
    ),
    `create trigger ${table}_number_added before insert on ${table} for each row when (${isMissing})
      execute function ${table}_number()`,
    `create trigger ${table}_number_entered before update of fault on ${table} for each row when (${isMissing})
      execute function ${table}_number()`,
  ];
}

function countAdded(source: Source): string[] {
  const { table } = source;
  return [
    writeFunction(
      `${table}_added`,
      `begin
        ${add(`'${table}'`, 'new.app', 'new.bytes')}
        if new.fault is not null then ${enterFault(source)} end if;
        ${noteForSearch(source)}
        return null;
      end`,
    ),
    `create trigger ${table}_added after insert on ${table} for each row execute function ${table}_added()`,
  ];
}

function countChanged(source: Source): string[] {
  const { table } = source;
  return [
    writeFunction(
      `${table}_app_changed`,
      `begin
        ${remove(`'${table}'`, 'old.app', 'old.bytes')}
        ${add(`'${table}'`, 'new.app', 'new.bytes')}
        return null;
      end`,
    ),
    `create trigger ${table}_app_changed after update of app, bytes on ${table} for each row
      when (old.app <> new.app or old.bytes <> new.bytes) execute function ${table}_app_changed()`,
    writeFunction(
      `${table}_fault_changed`,
      `begin
        if old.fault is not null then ${leaveFault(source)} end if;
        if new.fault is not null then ${enterFault(source)} end if;
        return null;
      end`,
    ),
    `create trigger ${table}_fault_changed after update of fault on ${table} for each row
      when (old.fault is distinct from new.fault) execute function ${table}_fault_changed()`,
    writeFunction(`${table}_text_changed`, `begin ${noteForSearch(source)} return null; end`),
    `create trigger ${table}_text_changed after update of ${searched}${source.more} on ${table} for each row
      execute function ${table}_text_changed()`,
  ];
}

/** Once for a statement. */
function countRemoved({ table, key }: Source): string[] {
  return [
    writeFunction(
      `${table}_removed`,
      `declare numbers bigint[];
      begin
        update kept_app set rows = kept_app.rows - gone.rows, bytes = kept_app.bytes - gone.bytes
          from (select app, count(*) as rows, sum(bytes) as bytes from removed group by app) as gone
          where kept_app.side = '${table}' and kept_app.of_app = gone.app;
        update kept_fault set rows = kept_fault.rows - gone.rows
          from (select fault, count(*) as rows from removed where fault is not null group by fault) as gone
          where kept_fault.side = '${table}' and kept_fault.fault = gone.fault;
        delete from kept_fault where side = '${table}' and rows = 0
          and fault in (select fault from removed where fault is not null);
        with gone as (delete from search_row using removed
          where search_row.source = '${table}' and search_row.key = removed.${key} returning search_row.id)
          select array_agg(id) into numbers from gone;
        delete from search_text where id = any (numbers);
        delete from search_due where id = any (numbers);
        return null;
      end`,
    ),
    `create trigger ${table}_removed after delete on ${table} referencing old table as removed for each statement
      execute function ${table}_removed()`,
  ];
}

/** Faults of servers and faults that only browsers claim are counted apart. */
const countFaults = [
  writeFunction('fault_added', `begin ${add("'fault-' || new.side", 'new.app', '0')} return null; end`),
  'create trigger fault_added after insert on fault for each row execute function fault_added()',
  writeFunction('fault_removed', `begin ${remove("'fault-' || old.side", 'old.app', '0')} return null; end`),
  'create trigger fault_removed after delete on fault for each row execute function fault_removed()',
  writeFunction(
    'fault_changed',
    `begin ${remove("'fault-' || old.side", 'old.app', '0')} ${add("'fault-' || new.side", 'new.app', '0')} return null; end`,
  ),
  `create trigger fault_changed after update of side, app on fault for each row
    when (old.side <> new.side or old.app <> new.app) execute function fault_changed()`,
];

/** Tables whose counters are in other tables. */
const counted = ['error', 'report', 'fault'];
/** What instances keep in memory until another one has changed it. */
const kept = ['session', 'app', 'record_all', 'scrub_key', 'password'];

const takeTurns = [
  writeFunction('take_turn', `begin perform pg_advisory_xact_lock(${locks.write}); return null; end`),
  ...[...counted, ...kept].map(
    (table) =>
      `create trigger ${table}_turn before insert or update or delete on ${table} for each statement execute function take_turn()`,
  ),
];

/** One row: how often a table of those was written. */
const noteVersions = [
  'create table data_version (version bigint not null)',
  'insert into data_version (version) values (0)',
  writeFunction('note_version', 'begin update data_version set version = version + 1; return null; end'),
  ...kept.map(
    (table) =>
      `create trigger ${table}_version after insert or update or delete on ${table} for each statement execute function note_version()`,
  ),
];

export async function createTriggers(db: Kysely<Tables>): Promise<void> {
  const statements = [
    ...takeTurns,
    ...noteVersions,
    ...countFaults,
    ...sources.flatMap((source) => [
      ...numberRow(source),
      ...countAdded(source),
      ...countChanged(source),
      ...countRemoved(source),
    ]),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
