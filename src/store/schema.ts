import type { Generated } from 'kysely';

import type { EventTable, Level, Side } from './event-columns.ts';

export type { EventRow, Level, NewEvent, Side } from './event-columns.ts';

/**
 * What is in the tables of tables.ts, for queries. Times are milliseconds since 1970. Columns named `…_json` hold JSON text that its one
 * writer and its one reader agree on; nothing is searched inside them. What an event has: event-columns.ts.
 */

/** What was not kept, and why. `source` says who dropped it: this receiver, or the SDK, as it reported itself. */
export type OutcomeTable = {
  app: Generated<string>;
  source: 'receiver' | 'client';
  /** An item's type or a client's data category. */
  type: string;
  reason: string;
  count: Generated<number>;
  last_time: number;
};

/** A browser that is signed in. */
export type SessionTable = {
  /** SHA-256 of the cookie's secret, in hex. */
  id: string;
  created: number;
  /** Written at most once a minute. */
  last_seen: number;
  /** It ends then, also when it is in use. */
  expires: number;
  opened_by: 'login-link' | 'password';
  user_agent: string;
  address: string;
};

type LoginLinkTable = {
  /** SHA-256 of the link's secret, in hex. */
  id: string;
  created: number;
  expires: number;
  used: number | null;
};

/** Who may read through the API and change nothing, or upload source maps of one app and nothing else. */
export type ApiTokenTable = {
  /** The part of the token that is no secret: eight characters. */
  id: string;
  name: string;
  /** SHA-256 of the token, in hex. */
  hash: string;
  /** A list of apps' ids; null: of all. */
  apps_json: string | null;
  allows: Generated<'read' | 'upload'>;
  created: number;
  /** Null: it has no end. */
  expires: number | null;
  /** Null: never. Written at most once a minute. */
  last_used: number | null;
};

/** One row at most: there is one operator. */
export type PasswordTable = {
  account: 'operator';
  memory_kib: number;
  passes: number;
  parallelism: number;
  /** Base64, as the hash is. */
  salt: string;
  hash: string;
  changed: number;
};

/** An app that is recorded here. This server's own pages have no row. */
export type AppTable = {
  /** As addresses have it: lower-case letters, digits, hyphens. It never changes. */
  id: string;
  name: string;
  /** For browsers: anybody can read it. It lets send reports, no more. */
  public_key: string;
  /** For servers. It lets send errors and flights, and read nothing, so it is stored as it is: set-up texts show it again. */
  secret_key: string;
  created: number;
  /** As the setting `RECORD` is written. Null: the default. */
  record: string | null;
  /** The project's number in a DSN, from 2. */
  number: number | null;
};

/** What was sent for an app and refused, counted. */
type RefusalTable = {
  app: string;
  endpoint: string;
  reason: string;
  count: Generated<number>;
  last_time: number;
};

/** What several errors share. src/faults/grouping is its only writer. */
export type FaultTable = {
  /** 8 characters, random. */
  id: string;
  app: string;
  /** `browser`: nobody but browsers has reported it, so all of it is untrusted. */
  side: Side;
  /** The next four are those of the latest error. */
  name: string;
  message: string;
  /** `src/cart.ts · addItem`, else the route or the path. */
  culprit: string;
  level: Level;
  state: 'open' | 'resolved' | 'snoozed' | 'muted';
  /** What belongs to the state: see src/faults/grouping/fault-state.ts. */
  state_json: string;
  /** Since when it is in this state, by our clock. */
  state_time: number;
  /** Why somebody should look at it; null after the operator has done something with it. */
  unseen: 'new' | 'regressed' | 'woke' | null;
  /** The next six are sums over its hashes, by the time of receipt. */
  first_time: number;
  last_time: number;
  first_release: string;
  last_release: string;
  /** Errors on servers, whether kept or not. */
  count: Generated<number>;
  /** Errors of browsers, whether kept or not. */
  untrusted: Generated<number>;
  /** Different users, as far as senders name them, up to a limit for each hash. */
  users: Generated<number>;
  /** It was merged: its address leads to this fault. */
  merged_into: string | null;
};

/** Which fault errors of this fingerprint belong to, and why they have this fingerprint. */
export type FaultHashTable = {
  app: string;
  /** `event.fingerprint`. */
  hash: string;
  fault: string;
  rule: 'given' | 'frames' | 'culprit' | 'message';
  /** Which version of the rules it was: see src/runtime/errors/fingerprint.ts. */
  algorithm: number;
  /** What was hashed: a list of texts. */
  parts_json: string;
  /** The operator split it: what comes with it gets a fingerprint of its own by this. See src/runtime/errors/narrow-grouping.ts. */
  split_by: 'line' | 'cause' | 'message' | null;
  /** The hash that was split, where this is a part of one. */
  split_of: string | null;
  /** When it was moved to another fault, while rows may not have followed it: see src/faults/grouping/follow-hashes.ts. */
  moved: Generated<number | null>;
  /** The next five are those of its errors. A fault's are sums over those of its hashes. */
  side: Side;
  first_time: number;
  last_time: number;
  first_release: string;
  last_release: string;
};

/** `hour`: milliseconds since 1970, a multiple of an hour. */
type FaultHourTable = {
  app: string;
  hash: string;
  hour: number;
  count: Generated<number>;
  untrusted: Generated<number>;
};
type FaultUserTable = { app: string; hash: string; user_key: string };

/**
 * Which values a hash has had: src/store/search-tables.ts is its only writer. What browsers report has names of its own, so that it takes
 * no place of what servers told.
 */
type FaultFacetTable = { app: string; hash: string; name: FacetName | `untrusted-${FacetName}`; value: string };
export type FacetName = 'release' | 'environment' | 'phase' | 'route';

/** When a release was first heard of: from servers, uploads and the operator (`server`), or from browsers, where anybody can name one. */
type AppReleaseTable = { app: string; side: Side; name: string; first_time: number };

/** What happened to a fault. Never deleted while its fault is there. */
export type FaultActivityTable = {
  /** Sorts in the order of writing: twelve hex characters of milliseconds, then four of a counter and four random ones. */
  id: string;
  fault: string;
  app: string;
  time: number;
  type:
    | 'first-seen'
    | 'regressed'
    | 'woke'
    /** A server had what only browsers had reported, while it was muted, snoozed or resolved. */
    | 'confirmed'
    | 'resolved'
    | 'reopened'
    | 'snoozed'
    | 'muted'
    | 'merged'
    | 'split'
    | 'noted';
  by: 'system' | 'operator';
  /** The row that caused it: retention keeps it. */
  error: string | null;
  /** What belongs to the type, and what undoes it. */
  detail_json: string;
  /** The same for all activities that were made in one go: the id of the first of them. Null for those that nobody can undo. */
  batch: string | null;
  /** When it was undone. */
  undone: number | null;
  /** When alerts were derived from it, or found to be none; null: not yet; 0: as of an untrusted error. src/faults/alerts writes it. */
  alerted: number | null;
};

/** Whom an alert is sent to. */
type AlertChannelTable = {
  id: string;
  name: string;
  /** src/faults/alerts/kinds knows them. */
  kind: string;
  /** An address of the web, which may be a secret itself, or of e-mail. */
  target: string;
  /** With which messages are signed: stored as it is, because signing needs it. Null: they are not signed. */
  secret: string | null;
  /** What it is told: src/faults/alerts/channel.ts. */
  rules_json: string;
  created: number;
  /** Since when it is paused. */
  paused: number | null;
  /** How many faults were not told one by one since the last summary, by reason. */
  held_json: Generated<string>;
  summed_at: Generated<number>;
};

/** What a channel knows of a fault. */
type AlertSentTable = {
  channel: string;
  fault: string;
  /** When the last message was made, and how many errors there were. */
  time: number;
  seen: number;
  /** Why there is to be another message, as soon as an hour is over. */
  held: 'new' | 'regressed' | 'woke' | 'volume' | null;
  /** The last hour whose number of errors was told. */
  volume_hour: Generated<number>;
};

/** One message to one channel. */
type AlertDeliveryTable = {
  id: string;
  channel: string;
  /** Empty where it is of no single fault. */
  app: string;
  fault: string;
  /** What is said: src/faults/alerts/message.ts. */
  content_json: string;
  created: number;
  state: 'waiting' | 'sent' | 'given-up';
  attempts: Generated<number>;
  /** While it waits: when it is sent. */
  next_time: number;
  last_time: number | null;
  /** What came of the last attempt, in one line. */
  answer: Generated<string>;
};

/** What a person wrote about an error: untrusted. */
export type FeedbackTable = {
  id: string;
  app: string;
  event_id: string | null;
  digest: string | null;
  trace_id: string | null;
  fault: string | null;
  received_at: number;
  source: 'error-page' | 'sdk';
  name: string;
  email: string;
  message: string;
  path: string;
  bytes: number;
};

/** How many events of a side an app has, with the bytes of their texts, and how many faults. Kept by triggers: src/store/kept-tables.ts. */
type KeptAppTable = {
  /** `past-digest` has bytes alone, which are all that its rows take. */
  side: `event-${Side}` | `fault-${Side}` | 'past-digest';
  /** Not `app`: whoever deletes an app deletes the rows that are counted here. */
  of_app: string;
  rows: number;
  bytes: number;
};

/**
 * What is left of a server's errors whose rows were deleted: src/store/past-digests.ts. Which fault they are of, `fault_hash` says.
 */
type PastDigestTable = {
  digest: string;
  /** A row's number in `past_origin`. */
  origin: number;
  /** Of the latest, in seconds since 1970. */
  time: number;
  /** Seconds from the first to the latest. */
  span: number;
  /** How many errors it stands for. */
  count: number;
};

type PastOriginTable = {
  id: Generated<number>;
  app: string;
  hash: string;
  /** The route's pattern; empty where it is not known. */
  route: string;
  release: string;
  /** With its digests, as they are counted. */
  bytes: number;
  /** Of its latest error, in seconds since 1970. */
  time: number;
  /** 1: its digests lead nowhere, and are being deleted. */
  gone: number;
};

/** How many events of a side a fault has. Kept by triggers. */
type KeptFaultTable = { side: Side; fault: string; of_app: string; rows: number };

/** A key whose values are scrubbed, besides those that always are. */
type ScrubKeyTable = { name: string; created: number };

/** Source maps that were uploaded at once, or those of one build of this server. */
type MapBundleTable = {
  id: string;
  app: string;
  /** Empty where its uploader named none. */
  release: string;
  dist: string;
  /** Of the bundle that was uploaded. Our own: empty. */
  checksum: string;
  created: number;
  /** When a frame was last resolved with it: written at most once a day. */
  last_used: number;
};

/** One script of a bundle, and its map. */
type MapFileTable = {
  bundle: string;
  app: string;
  release: string;
  /** Of the script, as its uploader named it: `~/assets/app.js`. */
  url: string;
  debug_id: string | null;
  /** Its map's file, which other bundles of the app may share. */
  hash: string;
  /** Of the file. */
  bytes: number;
  /** When its bundle was stored. Of two with one address or debug id the latest counts. */
  created: number;
};

/** A part of a map, packed. PostgreSQL's alone: with SQLite maps are files (src/faults/source-maps/keep-in-database.ts). */
type MapContentTable = {
  app: string;
  /** `map_file.hash`. */
  hash: string;
  /** From 0. */
  part: number;
  parts: number;
  /** When it was last uploaded, in milliseconds since 1970. */
  created: number;
  bytes: Uint8Array;
};

/** A chunk of a bundle that is on its way. PostgreSQL's alone. */
type MapChunkTable = { app: string; id: string; received_at: number; bytes: Uint8Array };

/** Until when everything is recorded of an app, whatever `RECORD` says. */
type RecordAllTable = { app: string; until: number };

/** Which server does what only one of them does: src/store/lease.ts. */
type LeaseTable = {
  name: string;
  holder: string;
  /** By the database's clock. */
  until: number;
};

/** A server on this database, where there may be several: src/store/instances. */
type InstanceTable = {
  id: string;
  host: string;
  pid: number;
  origin: string;
  /** Of the package. */
  version: string;
  build: string;
  /** The next three by the database's clock. */
  started: number;
  seen: number;
  /** When it stopped by itself; null: it runs, or it was killed. */
  stopped: number | null;
  /** Its load and what it counts. */
  state_json: string;
};

/** How often a network tried to sign in: src/access/login-limits.ts. `network` empty: all of them together. */
type LoginTryTable = {
  kind: 'password' | 'login-link';
  network: string;
  /** When all tokens are there again, by the database's clock. */
  free_at: number;
};

/** What is a file in the data folder of a server that has its database for itself. */
type SharedValueTable = { name: 'age' | 'user-key'; value: string };

/** Apps whose data is being deleted. */
type AppDeletionTable = {
  app: string;
  name: string;
  started: number;
  flights_left: number | null;
  problem: string | null;
};

/** That something has changed: src/store/notifications.ts. */
type NotificationTable = {
  id: Generated<number>;
  topic: string;
  sender: Generated<string>;
  hint: Generated<string>;
  time: Generated<number>;
  xact: Generated<number>;
};

/** How far a writer came whose connection may break during a commit (src/store/spool/commit-marks.ts). PostgreSQL's alone. */
type CommitMarkTable = { writer: string; sequence: number; time: number };

export type Tables = {
  lease: LeaseTable;
  instance: InstanceTable;
  login_try: LoginTryTable;
  shared_value: SharedValueTable;
  app_deletion: AppDeletionTable;
  notification: NotificationTable;
  commit_mark: CommitMarkTable;
  kept_app: KeptAppTable;
  kept_fault: KeptFaultTable;
  past_digest: PastDigestTable;
  past_origin: PastOriginTable;
  scrub_key: ScrubKeyTable;
  map_bundle: MapBundleTable;
  map_file: MapFileTable;
  map_content: MapContentTable;
  map_chunk: MapChunkTable;
  fault: FaultTable;
  fault_hash: FaultHashTable;
  fault_hour: FaultHourTable;
  fault_user: FaultUserTable;
  fault_facet: FaultFacetTable;
  fault_activity: FaultActivityTable;
  app_release: AppReleaseTable;
  feedback: FeedbackTable;
  record_all: RecordAllTable;
  alert_channel: AlertChannelTable;
  alert_sent: AlertSentTable;
  alert_delivery: AlertDeliveryTable;
  app: AppTable;
  refusal: RefusalTable;
  event: EventTable;
  outcome: OutcomeTable;
  session: SessionTable;
  api_token: ApiTokenTable;
  login_link: LoginLinkTable;
  password: PasswordTable;
};
