import { sql } from 'kysely';

import { flightTables } from './flight-tables.ts';
import type { MovedTable } from './moved-table.ts';

/**
 * What is moved, in this order: what other rows refer to comes first. A test compares the lists with the tables that the
 * databases have.
 */
function table(name: string, key: readonly string[], hasRowid: boolean): MovedTable {
  return { name, key, hasRowid, of: 'store' };
}

/** Counts that are 0 stay behind on the side where something was deleted. */
function derived(name: string, key: readonly string[]): MovedTable {
  const select = () => sql`select * from ${sql.table(name)} where rows <> 0`;
  return { ...table(name, key, false), select, isDerived: true };
}

export const movedTables: readonly MovedTable[] = [
  table('app', ['id'], false),
  table('record_all', ['app'], false),
  table('refusal', ['app', 'endpoint', 'reason'], false),
  table('password', ['account'], false),
  table('session', ['id'], false),
  table('api_token', ['id'], false),
  table('app_deletion', ['app'], false),
  table('scrub_key', ['name'], false),
  table('fault', ['id'], true),
  table('fault_hash', ['app', 'hash'], true),
  table('fault_hour', ['app', 'hash', 'hour'], true),
  table('fault_user', ['app', 'hash', 'user_key'], true),
  table('fault_facet', ['app', 'hash', 'name', 'value'], false),
  table('fault_activity', ['id'], false),
  // Digests first: what a trigger adds to an origin is in the origin's row already.
  table('past_digest', ['digest', 'origin'], false),
  table('past_origin', ['id'], false),
  table('app_release', ['app', 'side', 'name'], true),
  table('event', ['id', 'side'], true),
  table('feedback', ['id'], true),
  table('outcome', ['app', 'source', 'type', 'reason'], true),
  table('map_bundle', ['id'], true),
  table('map_file', ['rowid'], true),
  table('alert_channel', ['id'], false),
  table('alert_sent', ['channel', 'fault'], false),
  table('alert_delivery', ['id'], false),
  derived('kept_app', ['side', 'of_app']),
  derived('kept_fault', ['side', 'fault']),
  ...flightTables,
];

/** What stays, and why. @internal */
export const leftTables: ReadonlyMap<string, string> = new Map([
  ['login_link', 'it is valid for 15 minutes'],
  ['search_row', 'triggers write it, and the server indexes what is due when it starts'],
  ['search_due', 'as above'],
  ['search_text', 'as above'],
  ['lease', 'who holds what, while it runs'],
  ['instance', 'who runs where'],
  ['login_try', 'limits of the last minutes'],
  ['notification', 'what instances tell each other'],
  ['shared_value', 'the key of users: move-user-key.ts; the age is counted from the newest row'],
  ['schema_version', 'each database has its own'],
  ['data_version', 'as above'],
  ['flight_version', 'as above'],
  ['flight_part', 'the parts of the days follow from the flights'],
  ['body', 'it is in the row of its flight'],
  ['map_content', 'source maps: move-maps.ts'],
  ['map_chunk', 'an upload that was not finished is sent again'],
  ['commit_mark', 'it tells of connections of the database that is left'],
]);
