import type { Generated } from 'kysely';

/**
 * The tables as the newest migration leaves them. Times are milliseconds since 1970. Columns named `…_json` hold JSON
 * text that its one writer and its one reader agree on; nothing is searched inside them.
 */
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
  /** UTF-8 bytes of the row's texts that have no fixed size. */
  bytes: Generated<number>;
};

/** One event that a Sentry SDK sent. */
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
  /** UTF-8 bytes of the row's texts that have no fixed size. */
  bytes: Generated<number>;
};

/** What was not kept, and why. `source` says who dropped it: this receiver, or the SDK, as it reported itself. */
export type OutcomeTable = {
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
};

/** What was sent for an app and refused, counted. */
type RefusalTable = {
  app: string;
  endpoint: string;
  reason: string;
  count: Generated<number>;
  last_time: number;
};

export type Tables = {
  app: AppTable;
  refusal: RefusalTable;
  error: ErrorTable;
  report: ReportTable;
  outcome: OutcomeTable;
  session: SessionTable;
  login_link: LoginLinkTable;
  password: PasswordTable;
};
