import type { Generated, Insertable, Selectable } from 'kysely';

import { ownApp } from './own-app.ts';

/**
 * What a recorded error is, in one place: the table of both databases, its type, its upgrade, what is scrubbed again, what is searched and
 * what counts as its size follow from `eventColumns`. A new column is an entry here, with `null` or a default for the rows from before and
 * the next version of the schema (migrations.ts). What an SDK says in a word has a reader in src/faults/event/said-words.ts, too. A
 * searched column needs the triggers of the search made again, by a step of its own.
 *
 * There is one table, whoever told the error. `side` says who, and with it whether it is to be believed: what browsers say anybody can
 * post, so it is untrusted. Whatever is limited, counted, numbered or ordered is so for each side apart, and no number of untrusted
 * errors changes anything for what servers told.
 */
export const sides = ['server', 'browser'] as const;
export type Side = (typeof sides)[number];

/** Whether it came with a secret key, or from this server itself. */
export function isTrusted(side: Side): boolean {
  return side === 'server';
}

/**
 * How its text is scrubbed when the rules have changed. `path`: as an address, where it is one. `texts`: JSON whose keys are ours.
 * `breadcrumbs`, `data`: JSON with keys of its sender.
 */
export type Scrubbed = 'never' | 'text' | 'path' | 'texts' | 'breadcrumbs' | 'data';

/** What its sender decides the length of counts as the row's size. Of that, the search has its words in an index. */
type Measured = 'fixed' | 'counted' | 'searched';

type Entry<Name = string, Type = string, Words = readonly string[] | undefined> = {
  readonly name: Name;
  /** Its definition in SQL, which both databases know; the value's type follows from it. */
  readonly type: Type;
  readonly words: Words;
  readonly scrubbed: Scrubbed;
  readonly measured: Measured;
  /** The version of the schema that brought it; undefined of what was there from the first release on. */
  readonly since: number | undefined;
};

function define<
  const Name extends string,
  const Type extends string,
  const Words extends readonly string[] | undefined = undefined,
>(name: Name, type: Type, scrubbed: Scrubbed = 'never', measured: Measured = 'fixed', words?: Words, since?: number) {
  const entry: Entry<Name, Type, Words | undefined> = { name, type, scrubbed, measured, words, since };
  return entry;
}

const levels = ['debug', 'info', 'warning', 'error', 'fatal'] as const;
/** The last four are those of other apps: a route handler, Next's proxy or middleware, nobody said it, and src/faults/unexplained/. */
const phases = [
  'rsc',
  'ssr',
  'action',
  'document',
  'page-data',
  'process',
  'route',
  'proxy',
  'unknown',
  'answer',
] as const;
const kinds = [
  'document',
  'navigation',
  'prefetch',
  'navigation-or-prefetch',
  'action',
  'slice',
  'other',
  'background',
  'unknown',
] as const;

/** Times are milliseconds since 1970. */
export const eventColumns = [
  /** Our own errors: their digest. Others: the id of the event, which its sender chose (src/faults/kept/row-key.ts). Of its side alone. */
  define('id', 'text not null'),
  define('side', 'text not null', 'never', 'fixed', sides),
  define('app', `text not null default '${ownApp}'`),
  /** What the error page showed. Null where a framework showed none. One of another framework may name many errors. */
  define('digest', 'text'),
  /** `next`, `react-router` …, as its reporter names it. The next two are of other apps' servers alone. */
  define('framework', "text not null default ''", 'never', 'counted'),
  /** `Node 24.21.0`. */
  define('runtime', "text not null default ''", 'never', 'counted'),
  /** The route's pattern, as its framework names it. */
  define('route', "text not null default ''", 'never', 'searched'),
  define('fingerprint', 'text not null'),
  /** When it happened, by its sender's clock; of an untrusted error after that was corrected. */
  define('time', 'bigint not null'),
  /** By our clock. States are decided by this one. */
  define('received_at', 'bigint not null'),
  define('phase', "text not null default 'unknown'", 'never', 'fixed', phases),
  define('kind', "text not null default 'unknown'", 'never', 'fixed', kinds),
  define('method', "text not null default ''"),
  define('path', 'text not null', 'path', 'searched'),
  define('request_id', "text not null default ''"),
  define('trace_id', "text not null default ''"),
  define('release', "text not null default ''", 'never', 'searched'),
  define('name', 'text not null', 'text', 'searched'),
  define('message', 'text not null', 'text', 'searched'),
  define('stack', "text not null default ''", 'text', 'counted'),
  define('frames_json', 'text not null', 'never', 'searched'),
  define('component_stack', 'text', 'text', 'counted'),
  define('causes_json', "text not null default '[]'", 'texts', 'searched'),
  /** What happened before it, oldest first. */
  define('breadcrumbs_json', "text not null default '[]'", 'breadcrumbs', 'searched'),
  /** Null until its stack is understood: then the fault that its fingerprint belongs to. */
  define('fault', 'text'),
  define('level', "text not null default 'error'", 'never', 'fixed', levels),
  /** `production` …, as its sender names it. */
  define('environment', "text not null default ''", 'never', 'searched'),
  /** `sentry.javascript.node/11.10.0`. Empty for our own errors and for senders that do not say it. */
  define('sdk', "text not null default ''", 'never', 'counted'),
  /** `{name: text}` */
  define('tags_json', "text not null default '{}'", 'data', 'searched'),
  /** Contexts and extra data, flat: `{name: text}`. */
  define('extra_json', "text not null default '{}'", 'data', 'counted'),
  /** Tells users apart without saying who they are: 16 hex characters. Null where the sender names no user. */
  define('user_key', 'text'),
  /** Of an untrusted error. */
  define('user_agent', "text not null default ''", 'never', 'counted'),
  /** 1: an untrusted error that tells of a server's error that is not known yet, and joins its fault when it comes. */
  define('waits', 'bigint not null default 0'),
  /** Which of its fault's events of this side it is, from 1, by the time of receipt. Null while `fault` is. */
  define('ordinal', 'bigint'),
  /** UTF-8 bytes of the row's texts that have no fixed size. */
  define('bytes', 'bigint not null default 0'),
  /** 1: it was read in an app's output, where a visitor's text may stand. */
  define('printed', 'bigint not null default 0', 'never', 'fixed', undefined, 22),
  /** The digest that it was printed with, and that an error with another message has. Of Next's the number alone. */
  define('printed_digest', 'text', 'never', 'fixed', undefined, 22),
] as const;

type Column = (typeof eventColumns)[number];
export type EventColumn = Column['name'];

type Value<Of extends Column> =
  | ([Of['words']] extends [undefined]
      ? Of['type'] extends `text${string}`
        ? string
        : number
      : NonNullable<Of['words']>[number])
  | (Of['type'] extends `${string}not null${string}` ? never : null);

/** The table, for queries. */
export type EventTable = {
  [Each in Column as Each['name']]: Each['type'] extends `${string} default ${string}`
    ? Generated<Value<Each>>
    : Value<Each>;
};
/** A row, as it is read. */
export type EventRow = Selectable<EventTable>;
/** A row that is to be stored. */
export type NewEvent = Insertable<EventTable>;
export type Level = EventRow['level'];

/** For `create table`, without the key. */
export const eventDefinition = eventColumns.map(({ name, type }) => `${name} ${type}`).join(', ');

/** A change of these is a change of what the search finds. */
export const searchedColumns: readonly EventColumn[] = [
  'app',
  'fingerprint',
  ...eventColumns.flatMap(({ name, measured }) => (measured === 'searched' ? [name] : [])),
];

export const scrubbedColumns = eventColumns.filter(({ scrubbed }) => scrubbed !== 'never');

const counted = eventColumns.flatMap(({ name, measured }) => (measured === 'fixed' ? [] : [name]));

/** What the column `bytes` of a row holds. */
export function countBytes(row: Partial<NewEvent>): number {
  return counted.reduce((sum, name) => {
    const text = row[name];
    return typeof text === 'string' ? sum + Buffer.byteLength(text) : sum;
  }, 0);
}
