import { searchedColumns } from '../event-columns.ts';
import { nextNumber } from './create-search-tables.ts';
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

function writeFunction(name: string, body: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$ ${body} $$`;
}

const noteForSearch = `insert into search_row (id, side, key, app, hash)
      values (${nextNumber}, new.side, new.id, new.app, new.fingerprint)
      on conflict (side, key) do update set app = excluded.app, hash = excluded.hash;
    insert into search_due (id) select id from search_row where side = new.side and key = new.id on conflict do nothing;`;

const enterFault = `insert into kept_fault (side, fault, of_app, rows) values (new.side, new.fault, new.app, 1)
    on conflict (side, fault) do update set rows = kept_fault.rows + 1;`;

const leaveFault = `update kept_fault set rows = rows - 1 where side = old.side and fault = old.fault;
    delete from kept_fault where side = old.side and fault = old.fault and rows = 0;`;

/** What is added and changed, for each row. What is removed, once for a statement. */
const countEvents = [
  writeFunction(
    'event_added',
    `begin
        ${add("'event-' || new.side", 'new.app', 'new.bytes')}
        if new.fault is not null then ${enterFault} end if;
        ${noteForSearch}
        return null;
      end`,
  ),
  'create trigger event_added after insert on event for each row execute function event_added()',
  writeFunction(
    'event_app_changed',
    `begin
        ${remove("'event-' || old.side", 'old.app', 'old.bytes')}
        ${add("'event-' || new.side", 'new.app', 'new.bytes')}
        return null;
      end`,
  ),
  `create trigger event_app_changed after update of app, side, bytes on event for each row
      when (old.app <> new.app or old.side <> new.side or old.bytes <> new.bytes) execute function event_app_changed()`,
  writeFunction(
    'event_fault_changed',
    `begin
        if old.fault is not null then ${leaveFault} end if;
        if new.fault is not null then ${enterFault} end if;
        return null;
      end`,
  ),
  `create trigger event_fault_changed after update of fault on event for each row
      when (old.fault is distinct from new.fault) execute function event_fault_changed()`,
  writeFunction('event_text_changed', `begin ${noteForSearch} return null; end`),
  `create trigger event_text_changed after update of ${searchedColumns.join(', ')} on event for each row
      execute function event_text_changed()`,
  writeFunction(
    'event_removed',
    `declare numbers bigint[];
      begin
        update kept_app set rows = kept_app.rows - gone.rows, bytes = kept_app.bytes - gone.bytes
          from (select side, app, count(*) as rows, sum(bytes) as bytes from removed group by side, app) as gone
          where kept_app.side = 'event-' || gone.side and kept_app.of_app = gone.app;
        update kept_fault set rows = kept_fault.rows - gone.rows
          from (select side, fault, count(*) as rows from removed where fault is not null group by side, fault) as gone
          where kept_fault.side = gone.side and kept_fault.fault = gone.fault;
        delete from kept_fault where rows = 0
          and (side, fault) in (select side, fault from removed where fault is not null);
        with gone as (delete from search_row using removed
          where search_row.side = removed.side and search_row.key = removed.id returning search_row.id)
          select array_agg(id) into numbers from gone;
        delete from search_text where id = any (numbers);
        delete from search_due where id = any (numbers);
        return null;
      end`,
  ),
  `create trigger event_removed after delete on event referencing old table as removed for each statement
      execute function event_removed()`,
];

/** Faults of servers and faults that only browsers report are counted apart. */
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
const counted = ['event', 'fault'];
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

export const triggers: readonly string[] = [...takeTurns, ...noteVersions, ...countFaults, ...countEvents];
