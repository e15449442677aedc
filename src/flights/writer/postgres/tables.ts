import { ownApp } from '#src/store/own-app.ts';

import { flightColumns } from '../../flight/flight-columns.ts';

/**
 * The tables of flights in PostgreSQL, as numbered steps: step 1 makes what version 5 of SQLite's file has, and each later one
 * leads from the version before it. A step that was released never changes. Columns of `flight` are in their step by themselves
 * (flight-columns.ts says since when they are there); a step may besides only do what PostgreSQL does without touching the rows.
 *
 * The tables have no rows of their own. Rows are in parts (parts.ts): tables with a number after their name, one set of four for each
 * day, or for an eighth of the recording where a day has more. So what is old goes by dropping tables, which takes as long
 * for a million flights as for one, and leaves nothing to clean up.
 *
 * A body is kept once in a part. There are no foreign keys: a part goes as a whole, and who deletes a flight deletes what hangs
 * on it (delete-flights.ts).
 */
export const partedTables = ['flight', 'body', 'attachment', 'flight_digest'] as const;

/** SQLite's file was of this version when PostgreSQL came. */
const firstColumnsVersion = 5;

/** Text is compared by its bytes, as in SQLite. */
const text = 'text collate "C"';

/** A column's definition in PostgreSQL, from the one that SQLite has. */
export function toPostgresType(type: string): string {
  if (type.startsWith('integer primary key')) return 'bigint not null';
  const [word = '', ...rest] = type.split(' ');
  const name = { text, integer: 'bigint', real: 'double precision' }[word];
  if (name === undefined) throw new Error(`PostgreSQL has no type for a column that is ${type}`);
  // A body's id is not unique among all parts.
  return [name, ...(rest[0] === 'references' ? [] : rest)].join(' ');
}

function defineColumns(from: number, to: number): string[] {
  return flightColumns
    .filter(({ since }) => since >= from && since <= to)
    .map(({ column, type }) => `${column} ${toPostgresType(type)}`);
}

/** The indexes are those of SQLite (../migrations.ts), but for ids (`eleventhStep`). A primary key begins with what is looked for. */
const firstStep = `
  create sequence flight_number;
  create sequence body_number;
  create table flight_part (part integer primary key, begun_at bigint not null);
  create table flight (
    part integer not null, ${defineColumns(1, firstColumnsVersion).join(', ')}, primary key (id, part)
  ) partition by list (part);
  create index on flight (substr(request_id, 1, 8));
  create index on flight (substr(trace_id, 1, 8));
  create index on flight (visit) where visit is not null;
  create index on flight (body_id) where body_id is not null;
  create index on flight (last_at, hits) where last_at is not null;
  create index on flight (app, id) where app != '${ownApp}';
  create table body (
    part integer not null, id bigint not null, hash bytea not null, bytes bigint not null, encoding ${text} not null,
    data bytea not null, primary key (id, part), unique (part, hash)
  ) partition by list (part);
  create table attachment (
    part integer not null, flight_id bigint not null, role ${text} not null, type ${text} not null, bytes bigint not null,
    kept_bytes bigint not null, encoding ${text} not null, data bytea not null, primary key (flight_id, role, part)
  ) partition by list (part);
  create table flight_digest (
    part integer not null, digest ${text} not null, flight_id bigint not null, primary key (digest, flight_id, part)
  ) partition by list (part);
  create index on flight_digest (flight_id);
  create table loss (
    app ${text} not null, reason ${text} not null, count bigint not null, last_time bigint not null,
    primary key (app, reason)
  );`;

const fourthStep = `
  create table forged (
    app ${text} not null, rule ${text} not null, advisory ${text} not null, network ${text} not null, status bigint not null,
    count bigint not null, first_at bigint not null, last_at bigint not null,
    path ${text} not null, action ${text} not null, detail ${text} not null, body ${text} not null,
    primary key (app, rule, advisory, network, status)
  );`;

const fifthStep = `
  create table leak (
    app ${text} not null, name ${text} not null, component ${text} not null, path ${text} not null, route ${text} not null,
    rule ${text} not null, count bigint not null, first_at bigint not null, last_at bigint not null, request_id ${text} not null,
    primary key (app, name, component, path, route)
  );
  create table installed (
    app ${text} not null, name ${text} not null, inside ${text} not null, version ${text} not null, seen_at bigint not null,
    primary key (app, name, inside)
  );`;

const sixthStep = `
  create table span (
    app ${text} not null, trace_id ${text} not null, first ${text} not null, encoding ${text} not null, data bytea not null,
    received_at bigint not null, primary key (app, trace_id, first)
  );
  create index on span (received_at);`;

const seventhStep = `
  create table storm (
    app ${text} not null, tab ${text} not null, route ${text} not null, page ${text} not null, requests bigint not null,
    sized bigint not null, bytes bigint not null, prefetches bigint not null, prefetch_bytes bigint not null, unsure bigint not null,
    peak bigint not null, first_at bigint not null, last_at bigint not null, request_id ${text} not null,
    primary key (app, tab, route)
  );`;

const ninthStep = `
  create table build_modules (
    app ${text} not null, build ${text} not null, files_json ${text} not null, seen_at bigint not null, primary key (app, build)
  );`;

const tenthStep = `
  alter table flight_digest add column app ${text} not null default '', add column started_at bigint not null default 0;
  update flight_digest set app = flight.app, started_at = flight.started_at from flight
    where flight.id = flight_digest.flight_id and flight.part = flight_digest.part;
  create index on flight_digest (app, flight_id);
  create index on flight_digest (app, digest, started_at);
  create table kept (app ${text} primary key, record ${text} not null, told_at bigint not null);`;

/**
 * Indexes of whole ids. A sender chooses how an id begins: with an index of the beginnings, each id of a batch would read all that begin
 * alike. A hash index holds four bytes of each id, however long it is. The dropped names are those that PostgreSQL gave.
 */
const eleventhStep = `
  drop index flight_substr_idx, flight_substr_idx1;
  create index on flight using hash (request_id);
  create index on flight using hash (trace_id);`;

/** Besides columns. */
const stepsInSql: ReadonlyMap<number, string> = new Map([
  [1, firstStep],
  [4, fourthStep],
  [5, fifthStep],
  [6, sixthStep],
  [7, seventhStep],
  [9, ninthStep],
  [10, tenthStep],
  [11, eleventhStep],
]);

/** The version that this build reads and writes. */
export const latestPostgresVersion = Math.max(
  ...stepsInSql.keys(),
  ...flightColumns.map(({ since }) => since - firstColumnsVersion + 1),
);

/** What leads to this version. */
export function writeStep(version: number): string {
  const since = version + firstColumnsVersion - 1;
  const columns = version === 1 ? [] : defineColumns(since, since);
  return [
    ...columns.map((column) => `alter table flight add column ${column};`),
    stepsInSql.get(version) ?? '',
    `update flight_version set version = ${version};`,
  ].join('\n');
}

/** The tables of one part, which are then attached: that waits for nobody who reads or writes the others. */
export function writePart(part: number): string {
  return partedTables
    .map(
      (table) => `create table ${table}_${part} (like ${table} including all);
      ${table === 'flight' || table === 'flight_digest' ? '' : `alter table ${table}_${part} alter column data set storage external;`}
      alter table ${table} attach partition ${table}_${part} for values in (${part});`,
    )
    .join('\n');
}
