/**
 * What is kept of each app and of each fault, counted for each side, so that limits and "132 of 48,210 kept" never count rows. Triggers
 * count, because rows are written, moved to another fault and deleted at many places: nobody can forget it, and each count is right in the
 * transaction that changes it. PostgreSQL's: postgres/create-triggers.ts.
 *
 * A statement that fires triggers and may be undone alone keeps a copy of every page that it changes: 40 µs for a row with its
 * indexes. So those that insert many rows say `or fail`, since a row that cannot be stored rolls its transaction back anyway, and
 * no counter is `not null`, which SQLite would have to undo as well.
 */
type Row = 'new' | 'old';

function addToApp(prefix: string, bytes: string): string {
  return `insert into kept_app (side, of_app, rows, bytes) values ('${prefix}' || new.side, new.app, 1, ${bytes})
    on conflict (side, of_app) do update set rows = rows + 1, bytes = bytes + excluded.bytes;`;
}

function removeFromApp(prefix: string, bytes: string): string {
  return `update kept_app set rows = rows - 1, bytes = bytes - ${bytes} where side = '${prefix}' || old.side and of_app = old.app;`;
}

const enterFault = `insert into kept_fault (side, fault, of_app, rows) values (new.side, new.fault, new.app, 1)
  on conflict (side, fault) do update set rows = rows + 1;`;
const leaveFault = `update kept_fault set rows = rows - 1 where side = old.side and fault = old.fault;
  delete from kept_fault where side = old.side and fault = old.fault and rows = 0;`;

function when(name: string, event: string, condition: string, body: string): string {
  return `create trigger ${name} after ${event} ${condition === '' ? '' : `when ${condition}`} begin ${body} end`;
}

const hasFault = (row: Row) => `${row}.fault is not null`;
const isOtherFault = 'old.fault is not new.fault';

export const keptTriggers: readonly string[] = [
  when('event_app_added', 'insert on event', '', addToApp('event-', 'new.bytes')),
  when('event_app_removed', 'delete on event', '', removeFromApp('event-', 'old.bytes')),
  when(
    'event_app_changed',
    'update of app, side, bytes on event',
    '',
    removeFromApp('event-', 'old.bytes') + addToApp('event-', 'new.bytes'),
  ),
  when('event_fault_added', 'insert on event', hasFault('new'), enterFault),
  when('event_fault_removed', 'delete on event', hasFault('old'), leaveFault),
  when('event_fault_left', 'update of fault on event', `${hasFault('old')} and ${isOtherFault}`, leaveFault),
  when('event_fault_entered', 'update of fault on event', `${hasFault('new')} and ${isOtherFault}`, enterFault),
  // Faults of servers and faults that only browsers report are counted apart: they have limits of their own.
  when('fault_app_added', 'insert on fault', '', addToApp('fault-', '0')),
  when('fault_app_removed', 'delete on fault', '', removeFromApp('fault-', '0')),
  when(
    'fault_app_changed',
    'update of side, app on fault',
    'old.side <> new.side or old.app <> new.app',
    removeFromApp('fault-', '0') + addToApp('fault-', '0'),
  ),
];
