import { prefetchTriggers } from '#src/server/http/flight-headers.ts';
import { ownApp } from '#src/store/own-app.ts';

/**
 * A recorded flight, defined once. From this list follow the tables and their upgrades (writer/migrations.ts), the row's type,
 * what travels to the writing thread and how (flight-head.ts, pack-head.ts, writer/unpack-entries.ts), the insert
 * (writer/insert-flight.ts), what lists select, and what readers get (flight-record.ts, read-columns.ts).
 *
 * A new column is an entry at the end of the list with the next version as its `since`. Two things remain: its value is
 * determined in recording.ts, and it is shown somewhere. An entry that was released never changes: files have its column.
 *
 * Times are milliseconds since 1970 where the name ends in `At`, and milliseconds since the request began where it ends in
 * `Ms`. Columns named `…_json` hold JSON that the recorder alone writes and reads.
 */
type Holds = 'value' | 'names' | 'digests' | 'chunks' | readonly string[];
type Where = 'list' | 'flight' | 'never';

type Entry<Field = string, Name = string, Type = string, Held = Holds, Way = Travel, Shown = Where> = {
  readonly field: Field;
  readonly column: Name;
  /** Its definition in SQL; the value's type follows from it. After version 1 it allows null or has a default. */
  readonly type: Type;
  /** The version of the file that brought it. */
  readonly since: number;
  /**
   * `value`: as SQLite has it. `names`: a list of texts, as JSON. `digests`: a list with `,` between them, and `%2C` for a `,` in
   * one (join-digests.ts). `chunks`: times and
   * sizes, as JSON. A list of words: one of them.
   */
  readonly holds: Held;
  readonly travels: Way;
  /** Who gets it: lists too, the page of one flight alone, nobody. */
  readonly shown: Shown;
};

/**
 * How a value gets from the thread that serves pages to the one that writes.
 * `shape`: it is the same for most flights of a page, and goes once for all of them in a batch.
 * `text`, `optional-text`: it differs from flight to flight. It has no line break, and is not empty where it may be null.
 * `number`, `optional-number`: the same for numbers.
 * `list`: a list that is nearly always empty. `chunks`: numbers, three for each.
 * `writer`: it does not travel, the writer finds it out. `later`: it is not known when the flight is written.
 */
export type Travel =
  | 'shape'
  | 'text'
  | 'optional-text'
  | 'number'
  | 'optional-number'
  | 'list'
  | 'chunks'
  | 'writer'
  | 'later';

/**
 * `navigation-or-prefetch`: some versions of Next.js ask for a whole page ahead of a click as they do at a click. `slice`: a part of a
 * page. `other`: nobody went anywhere; an endpoint, a file that is gone, a page that a script read.
 */
export const kinds = [
  'document',
  'navigation',
  'prefetch',
  'navigation-or-prefetch',
  'action',
  'slice',
  'other',
] as const;
/** Rendered for this request, rendered although it could have been prerendered, served from a file; of another app often unknown. */
export const renderings = ['dynamic', 'static', 'prerendered', 'unknown'] as const;
/** What the body is: Flight rows, the HTML of a prerendered document, or nothing. */
const contents = ['flight', 'html', 'none'] as const;
/** Who saw it: this server's own renderer, a proxy in front of another app, or somebody who sent it. */
const sources = ['runtime', 'proxy', 'received'] as const;
/** What made somebody ask, where it is known: of a prefetch the browser, of a navigation that measures a save the dev server. */
export const triggers = [...prefetchTriggers, 'save'] as const;
/** How the stream ended. `left`: nobody wanted the rest. `none`: there was no stream. */
export const outcomes = ['complete', 'failed', 'left', 'none'] as const;

/** Of a tab that was loaded before the proxy began. */
export const unknownBuild = 'unknown';

/** As HTTP names them. */
export const codecs = ['identity', 'gzip', 'deflate', 'br', 'zstd'] as const;

/** The arguments are the fields of an `Entry`, in their order. */
function define<
  const Field extends string,
  const Name extends string,
  const Type extends string,
  const Held extends Holds,
  const Way extends Travel,
  const Shown extends Where,
>(field: Field, column: Name, type: Type, since: number, holds: Held, travels: Way, shown: Shown) {
  const entry: Entry<Field, Name, Type, Held, Way, Shown> = { field, column, type, since, holds, travels, shown };
  return entry;
}

export const flightColumns = [
  /** In the order in which flights were completed; never given twice. */
  define('id', 'id', 'integer primary key autoincrement', 1, 'value', 'later', 'list'),
  define('requestId', 'request_id', 'text not null', 1, 'value', 'text', 'list'),
  /** Empty for counted hits. */
  define('traceId', 'trace_id', 'text not null', 1, 'value', 'text', 'list'),
  /**
   * One browser tab's sequence. Null until the tab has named itself, and for clients that are no browser. The
   * request may name it; the writer also knows it from others of its trace.
   */
  define('visit', 'visit', 'text', 1, 'value', 'writer', 'list'),
  define('kind', 'kind', 'text not null', 1, kinds, 'shape', 'list'),
  define('method', 'method', 'text not null', 1, 'value', 'shape', 'list'),
  /** The page's path, without a query. */
  define('path', 'path', 'text not null', 1, 'value', 'shape', 'list'),
  /** Names of the query's parameters, encoded, with `&` between them. Values are not kept. */
  define('query', 'query', 'text not null', 1, 'value', 'shape', 'list'),
  /** The page's name among its elements, or the pattern that another app's payload says; the path where there is none. */
  define('route', 'route', 'text not null', 1, 'value', 'shape', 'list'),
  define('build', 'build', 'text not null', 1, 'value', 'shape', 'list'),
  define('status', 'status', 'integer not null', 1, 'value', 'shape', 'list'),
  define('rendering', 'rendering', 'text not null', 1, renderings, 'shape', 'list'),
  define('content', 'content', 'text not null', 1, contents, 'shape', 'list'),
  define('outcome', 'outcome', 'text not null', 1, outcomes, 'shape', 'list'),
  define('startedAt', 'started_at', 'integer not null', 1, 'value', 'number', 'list'),
  /** Of the first chunk. */
  define('firstByteMs', 'first_byte_ms', 'real', 1, 'value', 'writer', 'list'),
  define('durationMs', 'duration_ms', 'real not null', 1, 'value', 'number', 'list'),
  /** Bytes that went out, before compression, of which `keptBytes` are in the body. */
  define('bytes', 'bytes', 'integer not null', 1, 'value', 'number', 'list'),
  define('keptBytes', 'kept_bytes', 'integer not null', 1, 'value', 'number', 'list'),
  /** Minted in this request; of another app, in its answer. */
  define('digests', 'digests', 'text not null', 1, 'digests', 'list', 'list'),
  /** Of the body and the debug rows, in the order in which they were written. */
  define('chunks', 'chunks_json', 'text not null', 1, 'chunks', 'chunks', 'flight'),
  /** The parts of the page that this response carried. */
  define('elements', 'elements_json', 'text not null', 1, 'names', 'shape', 'flight'),
  /** The parts that the browser had already, and that were left out. */
  define('elided', 'elided_json', 'text not null', 1, 'names', 'shape', 'flight'),
  /** `<file>#<export>`, the file by the bundler's key. */
  define('actionId', 'action_id', 'text', 1, 'value', 'shape', 'list'),
  define('bodyId', 'body_id', 'integer references body (id)', 1, 'value', 'writer', 'never'),
  /** Of a prefetch: when a navigation showed it. */
  define('usedAt', 'used_at', 'integer', 1, 'value', 'writer', 'list'),
  /** Of a prefetch: when its document was closed. */
  define('closedAt', 'closed_at', 'integer', 1, 'value', 'later', 'list'),
  /** 1, or how many hits of a prerendered file this row stands for. Its other columns are those of the first of them. */
  define('hits', 'hits', 'integer not null default 1', 2, 'value', 'number', 'list'),
  /** Of counted hits alone: when the last of them began. Such a row has no trace and no visit. */
  define('lastAt', 'last_at', 'integer', 2, 'value', 'optional-number', 'list'),
  /** Of which app: its id. */
  define('app', 'app', `text not null default '${ownApp}'`, 3, 'value', 'shape', 'list'),
  define('source', 'source', "text not null default 'runtime'", 3, sources, 'shape', 'list'),
  /** `waku`, `next` …, as packages/flight names it. Null where nothing says it. */
  define('framework', 'framework', 'text', 3, 'value', 'writer', 'list'),
  /**
   * The response's bytes as they were sent, compressed or not. Null where they were not counted: before version 5 of the file of
   * our own app, in development, and of a response that was not sent to its end.
   */
  define('sentBytes', 'sent_bytes', 'integer', 3, 'value', 'optional-number', 'list'),
  /**
   * The response's bytes without compression, with the HTML around the rows. Null where they were not counted, as above, or not
   * read to their end, and of the second and later payloads of one page.
   */
  define('decodedBytes', 'decoded_bytes', 'integer', 3, 'value', 'writer', 'list'),
  /** The path of the page that asked, without its query. Null where nothing says it, and of counted hits. */
  define('fromPath', 'from_path', 'text', 4, 'value', 'optional-text', 'list'),
  /**
   * Of a prefetch: what made the browser ask. `save`: development measured a saved experiment. Of other apps it is
   * null, unless a browser told it; of counted hits, too.
   */
  define('trigger', 'prefetch_trigger', 'text', 4, triggers, 'optional-text', 'list'),
  /** Bytes of the Flight rows in a prerendered document, whose `bytes` are HTML. Null of everything else. */
  define('flightBytes', 'flight_bytes', 'integer', 5, 'value', 'writer', 'list'),
  /** What compressed the response, of another app: `identity` where nothing did. Null where nothing says it. */
  define('codec', 'content_encoding', 'text', 6, codecs, 'shape', 'flight'),
  /** Of another app's prefetch: when a browser told what became of it. Null where that is not known, or guessed. */
  define('toldAt', 'told_at', 'integer', 7, 'value', 'later', 'list'),
  /**
   * Of another app's navigation or action whose tab was loaded from another build than the one that answers: that build; `unknown` where
   * only that is known. Null of all others. (8 is a table of its own.)
   */
  define('tabBuild', 'tab_build', 'text', 9, 'value', 'optional-text', 'list'),
  /** Of another app's prefetch, where a browser told it: the text of its link, and where in the page the link was. */
  define('linkText', 'link_text', 'text', 10, 'value', 'later', 'list'),
  define('linkPlace', 'link_place', 'text', 10, 'value', 'later', 'list'),
  /** What another app's answer told caches (`Caching` of `#flight`). Null where it said nothing, and of all that is no GET. */
  define('caching', 'caching_json', 'text', 10, 'value', 'optional-text', 'flight'),
  /** Of another app's document: its Web Vitals (vitals/vitals.ts). Null where no browser told them. (11 is a table of its own.) */
  define('vitals', 'vitals_json', 'text', 12, 'value', 'later', 'flight'),
] as const;

export type Column = (typeof flightColumns)[number];

/** Milliseconds since the request began, bytes, and 1 for a chunk of development's debug rows. */
export type ChunkTime = readonly [ms: number, bytes: number, isDebug: 0 | 1];

type Null<Type extends string> = Type extends `${string}not null${string}` | `${string}primary key${string}`
  ? never
  : null;

/** What SQLite holds in a column of this definition. */
type SqlValue<Type extends string> = (Type extends `text${string}` ? string : number) | Null<Type>;

/** What a field is everywhere but in the file. */
export type FieldValue<Of extends Pick<Entry, 'type' | 'holds'>> = Of extends {
  readonly holds: readonly (infer Word)[];
}
  ? Word | Null<Of['type']>
  : Of['holds'] extends 'names' | 'digests'
    ? readonly string[]
    : Of['holds'] extends 'chunks'
      ? readonly ChunkTime[]
      : SqlValue<Of['type']>;

/** A row of the table `flight`. */
export type StoredFlight = {
  [Each in Column as Each['column']]: Each extends { readonly holds: readonly (infer Word)[] }
    ? Word | Null<Each['type']>
    : SqlValue<Each['type']>;
};
