import { eventDefinition } from './event-columns.ts';
import { pastDigestIndexes } from './past-digests.ts';

/**
 * The tables that SQLite and PostgreSQL both have, with their indexes. What each is for stands in schema.ts. Column types are ones that
 * both know. Each database makes them in its own words (create-schema.ts, postgres/create-schema.ts), with what it has besides: the
 * search, the counters that triggers keep, and what several servers tell each other.
 */
export type Table = {
  readonly name: string;
  readonly columns: string;
  /**
   * `number`: a query reads the number of a row in one statement and uses it in another. SQLite numbers the rows of each table,
   * PostgreSQL's has a column `rowid`. `key`: nothing does, and SQLite has the row in its key. `id`: rows of another table name a row
   * by its number, a column that each database fills.
   */
  readonly found: 'number' | 'key' | 'id' | 'any';
};

function table(name: string, found: Table['found'], columns: string): Table {
  return { name, found, columns };
}

/** Of the errors of a hash: a fault's are sums over those of its hashes. */
const times =
  'first_time bigint not null, last_time bigint not null, first_release text not null, last_release text not null';

export const tables: readonly Table[] = [
  table('event', 'number', `${eventDefinition}, primary key (id, side)`),
  table(
    'outcome',
    'number',
    `app text not null default 'flight-recorder', source text not null, type text not null, reason text not null,
    count bigint not null default 0, last_time bigint not null, primary key (app, source, type, reason)`,
  ),
  table(
    'session',
    'any',
    `id text not null primary key, created bigint not null, last_seen bigint not null, expires bigint not null,
    opened_by text not null, user_agent text not null, address text not null`,
  ),
  table(
    'login_link',
    'any',
    'id text not null primary key, created bigint not null, expires bigint not null, used bigint',
  ),
  table(
    'password',
    'any',
    `account text not null primary key, memory_kib integer not null, passes integer not null,
    parallelism integer not null, salt text not null, hash text not null, changed bigint not null`,
  ),
  table(
    'api_token',
    'any',
    `id text not null primary key, name text not null, hash text not null, apps_json text, created bigint not null,
    expires bigint, last_used bigint, allows text not null default 'read'`,
  ),
  table(
    'app',
    'any',
    `id text not null primary key, name text not null, public_key text not null unique, secret_key text not null unique,
    created bigint not null, record text, number bigint`,
  ),
  table(
    'refusal',
    'any',
    `app text not null, endpoint text not null, reason text not null, count bigint not null default 0,
    last_time bigint not null, primary key (app, endpoint, reason)`,
  ),
  table(
    'fault',
    'number',
    `id text not null primary key, app text not null, side text not null, name text not null, message text not null,
    culprit text not null, level text not null, state text not null, state_json text not null, state_time bigint not null,
    unseen text, ${times}, count bigint not null default 0, untrusted bigint not null default 0, users bigint not null default 0,
    merged_into text`,
  ),
  table(
    'fault_hash',
    'number',
    `app text not null, hash text not null, fault text not null, rule text not null, algorithm bigint not null,
    parts_json text not null, side text not null, ${times}, split_by text, split_of text, moved bigint, primary key (app, hash)`,
  ),
  // Kept for good: an hour of a hash is one small row.
  table(
    'fault_hour',
    'number',
    `app text not null, hash text not null, hour bigint not null, count bigint not null default 0,
    untrusted bigint not null default 0, primary key (app, hash, hour)`,
  ),
  table(
    'fault_user',
    'number',
    'app text not null, hash text not null, user_key text not null, primary key (app, hash, user_key)',
  ),
  table(
    'fault_facet',
    'key',
    'app text not null, hash text not null, name text not null, value text not null, primary key (app, hash, name, value)',
  ),
  table(
    'fault_activity',
    'any',
    `id text not null primary key, fault text not null, app text not null, time bigint not null, type text not null,
    by text not null, error text, detail_json text not null, batch text, undone bigint, alerted bigint`,
  ),
  table(
    'past_digest',
    'key',
    `digest text not null, origin bigint not null, time bigint not null, span bigint not null, count bigint not null,
    primary key (digest, origin)`,
  ),
  table(
    'past_origin',
    'id',
    `app text not null, hash text not null, route text not null, release text not null, bytes bigint not null,
    time bigint not null, gone bigint not null`,
  ),
  table(
    'app_release',
    'number',
    'app text not null, side text not null, name text not null, first_time bigint not null, primary key (app, side, name)',
  ),
  table(
    'feedback',
    'number',
    `id text not null primary key, app text not null, event_id text, digest text, trace_id text, fault text,
    received_at bigint not null, source text not null, name text not null, email text not null, message text not null,
    path text not null, bytes bigint not null`,
  ),
  // No column but the key is `not null`: kept-tables.ts says why.
  table(
    'kept_app',
    'any',
    'side text not null, of_app text not null, rows bigint, bytes bigint, primary key (side, of_app)',
  ),
  table(
    'kept_fault',
    'any',
    'side text not null, fault text not null, of_app text, rows bigint, primary key (side, fault)',
  ),
  table('scrub_key', 'any', 'name text not null primary key, created bigint not null'),
  table(
    'map_bundle',
    'number',
    `id text not null primary key, app text not null, release text not null, dist text not null, checksum text not null,
    created bigint not null, last_used bigint not null`,
  ),
  table(
    'map_file',
    'number',
    `bundle text not null references map_bundle (id) on delete cascade, app text not null, release text not null,
    url text not null, debug_id text, hash text not null, bytes bigint not null, created bigint not null default 0`,
  ),
  table('record_all', 'any', 'app text not null primary key, until bigint not null'),
  table(
    'alert_channel',
    'any',
    `id text not null primary key, name text not null, kind text not null, target text not null, secret text,
    rules_json text not null, created bigint not null, paused bigint, held_json text not null default '{}',
    summed_at bigint not null default 0`,
  ),
  table(
    'alert_sent',
    'any',
    `channel text not null, fault text not null, time bigint not null, seen bigint not null, held text,
    volume_hour bigint not null default 0, primary key (channel, fault)`,
  ),
  table(
    'alert_delivery',
    'any',
    `id text not null primary key, channel text not null, app text not null, fault text not null,
    content_json text not null, created bigint not null, state text not null, attempts bigint not null default 0,
    next_time bigint not null, last_time bigint, answer text not null default ''`,
  ),
  // What several servers on one database share. A server that has its database for itself leaves them empty.
  table('lease', 'any', 'name text not null primary key, holder text not null, until bigint not null'),
  table(
    'instance',
    'any',
    `id text not null primary key, host text not null, pid integer not null, origin text not null, version text not null,
    build text not null, started bigint not null, seen bigint not null, stopped bigint, state_json text not null`,
  ),
  table(
    'login_try',
    'any',
    'kind text not null, network text not null, free_at bigint not null, primary key (kind, network)',
  ),
  table('shared_value', 'any', 'name text not null primary key, value text not null'),
  table(
    'app_deletion',
    'any',
    'app text not null primary key, name text not null, started bigint not null, flights_left bigint, problem text',
  ),
];

/** A digest may have a hundred thousand rows. How many, of which apps, and which is an app's latest is told without reading one. */
export const digestIndexes: readonly string[] = [
  "event_digest_told on event (digest, app, time) where side = 'server' and digest is not null",
  "event_digest_untrusted on event (digest, app, received_at) where side = 'browser' and digest is not null",
];

/**
 * Errors without a digest, in the order of their receipt. A person looks for one of them by its time. The digest stands in front, though
 * it is always null: SQLite prefers an index whose first column it knows.
 */
export const withoutDigestIndexes: readonly string[] = [
  "event_none_told on event (digest, received_at, app) where side = 'server' and digest is null",
  "event_none_untrusted on event (digest, received_at, app) where side = 'browser' and digest is null",
];

/** Few errors are printed with a digest of another one. */
export const printedIndexes: readonly string[] = [
  'event_printed on event (app, printed_digest, time) where printed_digest is not null',
];

/** What browsers told and waits for its server's error: few rows, unless somebody sends many with the digest of another app. */
export const waitingIndexes: readonly string[] = [
  'event_waits_digest on event (digest, app) where waits = 1',
  'event_waits_trace on event (trace_id, app, received_at) where waits = 1',
];

/** The latest map of one address, and of one debug id, is the end of an index. */
export const mapIndexes: readonly string[] = [
  'map_file_debug on map_file (app, debug_id, created)',
  'map_file_url on map_file (app, url, release, created)',
];

/**
 * Of events, most have the side in them: what a side's are, how many and which are the latest is found without reading one of the other's.
 * Those that end in `_told` and `_untrusted` are found only by a query that says the side in words (`sql.lit`): servers are believed when
 * an error happened; of untrusted errors, only when they came is known.
 */
const eventIndexes = [
  'event_app on event (app, side, received_at)',
  'event_fault on event (fault, side, time)',
  'event_fingerprint on event (fingerprint, side, time)',
  // By receipt: `time` is the sender's, and would let it choose which rows are the newest.
  'event_kept on event (fault, side, received_at, ordinal, bytes)',
  // SQLite takes any condition on the first column of an index for a choice of few rows: so no index begins with the side.
  "event_received_told on event (received_at) where side = 'server'",
  "event_received_untrusted on event (received_at) where side = 'browser'",
  ...digestIndexes,
  ...withoutDigestIndexes,
  ...printedIndexes,
  "event_trace_told on event (trace_id, time) where side = 'server'",
  "event_trace_untrusted on event (trace_id, received_at) where side = 'browser'",
  // The next three have few rows, so to look into one of them costs an insert next to nothing.
  "event_answer on event (app, time) where phase = 'answer'",
  ...waitingIndexes,
  // What a new untrusted error may replace; first errors come after all others.
  "event_bytes on event (bytes) where side = 'browser'",
  "event_replaced on event (bytes) where side = 'browser' and ordinal is distinct from 1",
];

export const indexes: readonly string[] = [
  ...eventIndexes,
  ...pastDigestIndexes,
  'unique app_number on app (number)',
  'alert_delivery_app on alert_delivery (app)',
  'alert_delivery_channel on alert_delivery (channel, created)',
  "alert_delivery_waiting on alert_delivery (next_time) where state = 'waiting'",
  'alert_told_held on alert_sent (time) where held is not null',
  'fault_app on fault (app, last_time)',
  // How many there are, without reading them.
  'fault_count on fault (app, state, merged_into, unseen)',
  'fault_last on fault (state, last_time)',
  'fault_merged on fault (merged_into) where merged_into is not null',
  // What is new or came back is few, and so is what was merged: as a whole, the second would be taken for all that were not.
  'fault_unseen on fault (last_time, app) where unseen is not null and merged_into is null',
  // The faults that were silent for longest.
  'fault_silent on fault (side, app, last_time)',
  'fault_facet_value on fault_facet (name, value)',
  'fault_hash_fault on fault_hash (fault)',
  'fault_hash_moved on fault_hash (app, hash) where moved is not null',
  'fault_hash_split on fault_hash (app, split_of) where split_of is not null',
  // Hours that are not the first of a day: those that become days when they are old.
  'fault_hour_fine on fault_hour (hour) where hour % 86400000 <> 0',
  'fault_hour_time on fault_hour (hour, app, hash)',
  'fault_activity_batch on fault_activity (batch)',
  'fault_activity_fault on fault_activity (fault, id)',
  'fault_activity_error on fault_activity (error)',
  // The outbox of alerts: a mark on each turn does not depend on clocks, as a cursor over times would.
  'fault_activity_unalerted on fault_activity (id) where alerted is null',
  'feedback_digest on feedback (digest, received_at)',
  'feedback_event on feedback (event_id)',
  'feedback_fault on feedback (fault, received_at)',
  'feedback_received on feedback (received_at)',
  // The fault with the most rows, of all apps or of one.
  'kept_fault_app on kept_fault (side, of_app, rows)',
  'kept_fault_rows on kept_fault (side, rows)',
  'unique map_bundle_app on map_bundle (app, release, dist, checksum)',
  'map_file_bundle on map_file (bundle)',
  'map_file_hash on map_file (app, hash, bytes)',
  ...mapIndexes,
];

/** `unique …` is said before the word `index`. */
export function writeIndex(index: string): string {
  return index.startsWith('unique ') ? `create unique index ${index.slice('unique '.length)}` : `create index ${index}`;
}
