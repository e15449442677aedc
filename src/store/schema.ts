import type { Generated } from 'kysely';

/**
 * The tables as the newest migration leaves them. Times are milliseconds since 1970. Columns named `…_json` hold JSON
 * text that its one writer and its one reader agree on; nothing is searched inside them.
 */
export type Level = 'debug' | 'info' | 'warning' | 'error' | 'fatal';

export type ErrorTable = {
  /** Our own errors: their digest. Others: the id of the event, which its sender chose. */
  id: string;
  /** What the error page showed. Null where a framework showed none. One of another framework may name many errors. */
  digest: string | null;
  app: Generated<string>;
  /** Of another app: `next`, `react-router` …, as its reporter names it. */
  framework: Generated<string>;
  /** Of another app: the route's pattern, as its framework names it. */
  route: Generated<string>;
  /** Of another app: `Node 24.21.0`, as its reporter names it. */
  runtime: Generated<string>;
  fingerprint: string;
  time: number;
  /** The last three are those of other apps: a route handler, Next's proxy or middleware, and nobody said it. */
  phase: 'rsc' | 'ssr' | 'action' | 'document' | 'page-data' | 'process' | 'route' | 'proxy' | 'unknown';
  kind: 'document' | 'navigation' | 'prefetch' | 'action' | 'slice' | 'other' | 'background' | 'unknown';
  method: string;
  path: string;
  request_id: string;
  trace_id: string;
  release: string;
  name: string;
  message: string;
  stack: string;
  frames_json: string;
  component_stack: string | null;
  causes_json: string;
  /** What happened in the request before it, oldest first. */
  breadcrumbs_json: Generated<string>;
  /** Null until its stack is understood: then the fault that its fingerprint belongs to. */
  fault: string | null;
  level: Generated<Level>;
  /** `production` …, as its sender names it. */
  environment: Generated<string>;
  /** `sentry.javascript.node/11.10.0`. Empty for our own errors and for senders that do not say it. */
  sdk: Generated<string>;
  /** `{name: text}`, scrubbed. */
  tags_json: Generated<string>;
  /** Contexts and extra data, flat: `{name: text}`, scrubbed. */
  extra_json: Generated<string>;
  /** Tells users apart without saying who they are: 16 hex characters. Null where the sender names no user. */
  user_key: string | null;
  /** Which occurrence of its fault it is, from 1, by the time of receipt. Null while `fault` is. */
  ordinal: Generated<number | null>;
  /** By our clock. States are decided by this one. */
  received_at: Generated<number>;
  /** UTF-8 bytes of the row's texts that have no fixed size. */
  bytes: Generated<number>;
};

/** One event that a browser's SDK sent: a claim, since anyone can post one. A server's SDK fills `error`. */
export type ReportTable = {
  event_id: string;
  app: Generated<string>;
  digest: string | null;
  side: 'server' | 'browser';
  fingerprint: string;
  time: number;
  received_at: number;
  name: string;
  message: string;
  path: string;
  frames_json: string;
  component_stack: string | null;
  user_agent: string | null;
  release: string | null;
  trace_id: string | null;
  breadcrumbs_json: string;
  causes_json: Generated<string>;
  /** Null until its stack is understood: then the fault that its fingerprint belongs to. */
  fault: string | null;
  /** 1: it tells of a server's error that is not known yet, and joins its fault when it comes. */
  waits: Generated<number>;
  level: Generated<Level>;
  /** `production` …, as its sender names it. */
  environment: Generated<string>;
  /** `sentry.javascript.node/11.10.0`. Empty for our own errors and for senders that do not say it. */
  sdk: Generated<string>;
  /** `{name: text}`, scrubbed. */
  tags_json: Generated<string>;
  /** Contexts and extra data, flat: `{name: text}`, scrubbed. */
  extra_json: Generated<string>;
  /** Tells users apart without saying who they are: 16 hex characters. Null where the sender names no user. */
  user_key: string | null;
  /** Which occurrence of its fault it is, from 1, by the time of receipt. Null while `fault` is. */
  ordinal: Generated<number | null>;
  /** UTF-8 bytes of the row's texts that have no fixed size. */
  bytes: Generated<number>;
};

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

/** Who may read through the API, and change nothing. */
export type ApiTokenTable = {
  /** The part of the token that is no secret: eight characters. */
  id: string;
  name: string;
  /** SHA-256 of the token, in hex. */
  hash: string;
  /** A list of apps' ids; null: of all. */
  apps_json: string | null;
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

/** What several occurrences share. src/reports/faults is its only writer. */
export type FaultTable = {
  /** 8 characters, random. */
  id: string;
  app: string;
  /** `browser`: nobody but browsers has reported it, so all of it is a claim. */
  side: 'server' | 'browser';
  /** The next four are those of the latest occurrence. */
  name: string;
  message: string;
  /** `src/cart.ts · addItem`, else the route or the path. */
  culprit: string;
  level: Level;
  state: 'open' | 'resolved' | 'snoozed' | 'muted';
  /** What belongs to the state: see src/reports/faults/fault-state.ts. */
  state_json: string;
  /** Since when it is in this state, by our clock. */
  state_time: number;
  /** Why somebody should look at it; null after the operator has done something with it. */
  news: 'new' | 'regressed' | 'woke' | null;
  /** The next six are sums over its hashes, by the time of receipt. */
  first_time: number;
  last_time: number;
  first_release: string;
  last_release: string;
  /** Occurrences on servers, whether kept or not. */
  count: Generated<number>;
  /** Reports of browsers, whether kept or not. */
  claims: Generated<number>;
  /** Different users, as far as senders name them, up to a limit for each hash. */
  users: Generated<number>;
  /** It was merged: its address leads to this fault. */
  merged_into: string | null;
};

/** Which fault occurrences of this fingerprint belong to, and why they have this fingerprint. */
export type FaultHashTable = {
  app: string;
  /** `error.fingerprint`, `report.fingerprint`. */
  hash: string;
  fault: string;
  /** `older`: an older version computed the hash, and what it was made of cannot be computed again. */
  rule: 'given' | 'frames' | 'culprit' | 'message' | 'older';
  /** Which version of the rules it was: see src/runtime/errors/fingerprint.ts. */
  algorithm: number;
  /** What was hashed: a list of texts. */
  parts_json: string;
  /** The next five are those of its occurrences. A fault's are sums over those of its hashes. */
  side: 'server' | 'browser';
  first_time: number;
  last_time: number;
  first_release: string;
  last_release: string;
};

/** `hour`: milliseconds since 1970, a multiple of an hour. */
type FaultHourTable = { app: string; hash: string; hour: number; count: Generated<number>; claims: Generated<number> };
type FaultUserTable = { app: string; hash: string; user_key: string };

/**
 * Which values a hash has had: src/store/search-tables.ts is its only writer. What browsers claim has names of its own, so that it takes no
 * place of what servers told.
 */
type FaultFacetTable = { app: string; hash: string; name: FacetName | `claimed-${FacetName}`; value: string };
export type FacetName = 'release' | 'environment' | 'phase' | 'route';

/** When a release was first heard of: from servers, uploads and the operator (`server`), or from browsers, where anybody can name one. */
type AppReleaseTable = { app: string; side: FaultTable['side']; name: string; first_time: number };

/** What happened to a fault. Never deleted while its fault is there. */
export type FaultTurnTable = {
  /** Sorts in the order of writing: twelve hex characters of milliseconds, then four of a counter and four random ones. */
  id: string;
  fault: string;
  app: string;
  time: number;
  type:
    | 'first-seen'
    | 'regressed'
    | 'woke'
    /** A server had what only browsers had claimed, while it was muted, snoozed or resolved. */
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
  occurrence: string | null;
  /** What belongs to the type, and what undoes it. */
  detail_json: string;
  /** The same for all turns that were made in one go: the id of the first of them. Null for those that nobody can undo. */
  batch: string | null;
  /** When it was undone. */
  undone: number | null;
  /** When alerts were derived from it, or found to be none; null: not yet; 0: as of a claim. src/alerts writes it. */
  alerted: number | null;
};

/** Whom an alert is sent to. */
type AlertChannelTable = {
  id: string;
  name: string;
  kind: 'webhook' | 'slack' | 'email';
  /** An address of the web, which may be a secret itself, or of e-mail. */
  target: string;
  /** With which messages are signed: stored as it is, because signing needs it. Null: they are not signed. */
  secret: string | null;
  /** What it is told: src/alerts/channel.ts. */
  rules_json: string;
  created: number;
  /** Since when it is paused. */
  paused: number | null;
  /** How many faults were not told one by one since the last summary, by reason. */
  held_json: Generated<string>;
  summed_at: Generated<number>;
};

/** What a channel knows of a fault. */
type AlertToldTable = {
  channel: string;
  fault: string;
  /** When the last message was made, and how many occurrences there were. */
  time: number;
  seen: number;
  /** Why there is to be another message, as soon as an hour is over. */
  held: 'new' | 'regressed' | 'woke' | 'volume' | null;
  /** The last hour whose number of occurrences was told. */
  volume_hour: Generated<number>;
};

/** One message to one channel. */
type AlertDeliveryTable = {
  id: string;
  channel: string;
  /** Empty where it is of no single fault. */
  app: string;
  fault: string;
  /** What is said: src/alerts/message.ts. */
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

/** What a person wrote about an error: a claim. */
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

/**
 * How many rows, and how many bytes of texts, an app has in `error` and in `report`, and how many faults. Kept by triggers:
 * src/store/kept-tables.ts.
 */
type KeptAppTable = {
  side: 'error' | 'report' | 'fault-server' | 'fault-browser';
  /** Not `app`: whoever deletes an app deletes the rows that are counted here. */
  of_app: string;
  rows: number;
  bytes: number;
};

/** How many rows a fault has in `error` and in `report`. Kept by triggers. */
type KeptFaultTable = { side: 'error' | 'report'; fault: string; of_app: string; rows: number };

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
};

/** A part of a map, packed. PostgreSQL's alone: with SQLite maps are files (src/reports/source-maps/keep-in-database.ts). */
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

/** How often a network tried to sign in: src/operator/login-limits.ts. `network` empty: all of them together. */
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

/** That something has changed: src/store/news.ts. */
type NewsTable = {
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
  news: NewsTable;
  commit_mark: CommitMarkTable;
  kept_app: KeptAppTable;
  kept_fault: KeptFaultTable;
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
  fault_turn: FaultTurnTable;
  app_release: AppReleaseTable;
  feedback: FeedbackTable;
  record_all: RecordAllTable;
  alert_channel: AlertChannelTable;
  alert_told: AlertToldTable;
  alert_delivery: AlertDeliveryTable;
  app: AppTable;
  refusal: RefusalTable;
  error: ErrorTable;
  report: ReportTable;
  outcome: OutcomeTable;
  session: SessionTable;
  api_token: ApiTokenTable;
  login_link: LoginLinkTable;
  password: PasswordTable;
};
