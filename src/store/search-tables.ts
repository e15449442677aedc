import { CompiledQuery, type Kysely, type Transaction } from 'kysely';

import { type Engine, engineOf } from './engine-of.ts';
import { isTrusted, searchedColumns, type Side } from './event-columns.ts';
import { type SearchedRow, writeSearchText } from './search-text.ts';
import { writeQuery, writeWords } from './search-words.ts';
import type { FacetName, Tables } from './schema.ts';

/**
 * Full-text search of events, and what faults can be filtered by. In PostgreSQL the index is a `tsvector`
 * (postgres/create-search-tables.ts); which words there are, what is due and what a match is are the same.
 *
 * `search_text` is an index without the texts: it knows which words are in which row, by a number. `search_row` gives an event
 * its number, since the rowids of `event` may change when somebody runs `VACUUM`. It has the hash too: from a match
 * to its fault is two steps through keys, and the event itself, some 10 KiB, is not read.
 *
 * What servers told has numbers above zero, upwards; what browsers report has numbers below zero, downwards. So the latest matches
 * of each side are the end of a range, and no number of untrusted errors keeps a server's error from being found.
 *
 * Triggers note in `search_due` which rows have to be indexed, so no writer of `event` can forget it. `indexDue` does
 * it: at the end of each group of writes in its transaction (group-commit.ts), and once in a while for everything else. A trigger
 * that wrote into the index itself would cost twice as much: SQLite's full-text index writes what it gathered whenever a
 * statement begins that may have to be undone, and a statement with a trigger may.
 *
 * `fault_facet` says which values a hash has had: in which releases, environments and phases and on which routes. It belongs to the
 * hash, as counts do, and stays when its errors are thinned out.
 */

/** As many as the largest group of writes has: some 20 ms. */
const indexedAtOnce = 200;
/** Values of one kind of one hash, told by servers, and as many by browsers: anybody can post another path. */
const facetsKept = 100;
const facetLength = 200;
const untrusted = 'untrusted-';

/** Under which names the values of a facet are stored: as servers told them, and as browsers report them. */
export function listFacetNames(name: FacetName) {
  return [name, `${untrusted}${name}`] as const;
}

/** The number of a new row, outwards from zero. */
const nextNumber = `case new.side when 'browser' then min(coalesce((select min(id) from search_row), 0), 0) - 1
  else max(coalesce((select max(id) from search_row), 0), 0) + 1 end`;

const numberOfOld = '(select id from search_row where side = old.side and key = old.id)';

const note = `
  insert into search_row (id, side, key, app, hash) values (${nextNumber}, new.side, new.id, new.app, new.fingerprint)
    on conflict (side, key) do update set app = excluded.app, hash = excluded.hash;
  insert or ignore into search_due (id) select id from search_row where side = new.side and key = new.id;`;

export const searchStatements: readonly string[] = [
  `create table search_row (id integer primary key not null, side text not null, key text not null, app text not null,
    hash text not null, unique (side, key))`,
  'create table search_due (id integer primary key not null)',
  `create virtual table search_text using fts5 (
    text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2")`,
  `create trigger search_event_added after insert on event begin ${note} end`,
  `create trigger search_event_changed after update of ${searchedColumns.join(', ')} on event begin ${note} end`,
  `create trigger search_event_removed after delete on event begin
    delete from search_text where rowid = ${numberOfOld};
    delete from search_due where id = ${numberOfOld};
    delete from search_row where side = old.side and key = old.id;
  end`,
];

type DueRow = SearchedRow & {
  readonly number: number;
  readonly app: string;
  readonly hash: string;
  readonly side: Side;
  readonly phase: string;
};

/** `cross join` keeps the order: from what is due to its row. A row that was deleted meanwhile is not due any more. */
const selectDue = `select search_due.id as number, search_row.app, search_row.hash, event.side, phase, name, message, route, path,
    release, environment, frames_json, causes_json, breadcrumbs_json, tags_json
  from search_due
  cross join search_row
  cross join event
  where search_row.id = search_due.id and event.id = search_row.key and event.side = search_row.side and search_due.id >= `;

type Statements = {
  /** How the one parameter of a text is written. */
  readonly parameter: string;
  readonly insertText: string;
  readonly insertFacets: string;
  /** As the engine's index takes them. */
  readonly writeWords: (text: string) => string;
};

/** Facets come as one list of lists, in JSON. */
const statements: Readonly<Record<Engine, Statements>> = {
  sqlite: {
    parameter: '?',
    insertText: 'insert or replace into search_text (rowid, text) values (?, ?)',
    insertFacets: `insert or ignore into fault_facet (app, hash, name, value)
      select value ->> 0 as of_app, value ->> 1 as of_hash, value ->> 2 as of_name, value ->> 3 from json_each(?)
      where (select count(*) from (select 1 from fault_facet where app = of_app and hash = of_hash and name = of_name
        limit ${facetsKept})) < ${facetsKept}`,
    writeWords: (text) => text,
  },
  postgres: {
    parameter: '$1',
    insertText: `insert into search_text (id, words) values ($1, $2::tsvector)
      on conflict (id) do update set words = excluded.words`,
    insertFacets: `insert into fault_facet (app, hash, name, value)
      select of_app, of_hash, of_name, of_value from (
        select value ->> 0 as of_app, value ->> 1 as of_hash, value ->> 2 as of_name, value ->> 3 as of_value
        from json_array_elements($1::json)) as listed
      where (select count(*) from (select 1 from fault_facet where app = of_app and hash = of_hash and name = of_name
        limit ${facetsKept}) as known) < ${facetsKept}
      on conflict do nothing`,
    writeWords,
  },
};

/** Phases are those of servers. */
function listFacets({ app, hash, side, release, environment, phase, route, path }: DueRow): string[] {
  if (hash === '') return [];
  const prefix = isTrusted(side) ? '' : untrusted;
  const facets = { release, environment, phase: isTrusted(side) ? phase : side, route: route === '' ? path : route };
  return Object.entries(facets)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => JSON.stringify([app, hash, prefix + name, value.slice(0, facetLength)]));
}

/**
 * Indexes what the triggers noted, the latest first.
 * @returns how many rows were due, at most as many as are indexed at once
 */
export async function indexDue(trx: Transaction<Tables>): Promise<number> {
  const due = await trx.executeQuery<{ id: number }>(
    CompiledQuery.raw(`select id from search_due order by id desc limit ${indexedAtOnce}`),
  );
  const first = due.rows.at(-1)?.id;
  if (first === undefined) return 0;
  const { insertText, insertFacets, parameter, writeWords: write } = statements[engineOf(trx)];
  const facets = new Set<string>();
  const { rows } = await trx.executeQuery<DueRow>(CompiledQuery.raw(`${selectDue}${parameter}`, [first]));
  for (const row of rows) {
    await trx.executeQuery(CompiledQuery.raw(insertText, [row.number, write(writeSearchText(row))]));
    for (const facet of listFacets(row)) facets.add(facet);
  }
  await trx.executeQuery(CompiledQuery.raw(insertFacets, [`[${[...facets].join(',')}]`]));
  await trx.executeQuery(CompiledQuery.raw(`delete from search_due where id >= ${parameter}`, [first]));
  return due.rows.length;
}

export async function isAnyDue(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await db.executeQuery(CompiledQuery.raw('select 1 from search_due limit 1'));
  return rows.length > 0;
}

/** More words make a question no clearer, and each costs a look through its rows. */
const wordsSearched = 8;
const longestWord = 100;
/** One letter alone begins a tenth of all words. */
const shortestPrefix = 2;

/**
 * What somebody typed, for `match`: all of its words, in any order, the last one perhaps unfinished; in double quotes, words that
 * follow each other. Each word is quoted, so nothing in it is an operator. Undefined where there is no letter and no digit.
 */
export function writeMatch(typed: string): string | undefined {
  // Without what no text has: SQLite ends a text at NUL.
  const parts = [...typed.matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([whole, phrase]) => ({
      text: (phrase ?? whole).slice(0, longestWord).replaceAll('\0', ' '),
      isPhrase: phrase !== undefined,
    }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
    .slice(0, wordsSearched);
  if (parts.length === 0) return undefined;
  return parts
    .map(({ text, isPhrase }, index) => {
      const isUnfinished = index === parts.length - 1 && !isPhrase && text.length >= shortestPrefix;
      return `"${text}"${isUnfinished ? ' *' : ''}`;
    })
    .join(' ');
}

export type Matches = {
  /** Of each fault that has an error with these words, the latest such error; a server's where one has them. */
  readonly latest: ReadonlyMap<string, string>;
  /** The sides of which older errors were not looked at. */
  readonly cut: ReadonlySet<Side>;
  /** How many of a side that is cut were looked at, at least. */
  readonly searched: number;
};

/** Of each side. From a match to its fault takes some 2 µs. */
export const matchesRead = 20_000;
/** Where one app is asked for: from a match to its app takes half of that, and others' matches must not hide its own. */
const matchesOfApps = 100_000;

/** Where a side's numbers are, in which order its latest come first, and which of two is the later one. */
const numbers = {
  server: { range: '> 0', order: 'desc', latest: 'max' },
  browser: { range: '< 0', order: 'asc', latest: 'min' },
} as const satisfies Record<Side, unknown>;

/**
 * Writes the query from a match to its fault, of the latest matches. `cross join` keeps the order where SQLite would look for another.
 * There is always a row, since `read` says how many matches were looked at.
 */
function findInSqlite(side: Side, isOfApp: boolean): string {
  const { range, order, latest } = numbers[side];
  return `with found as materialized (select rowid as number from search_text where search_text match ? and rowid ${range}
        order by rowid ${order} limit ${isOfApp ? matchesOfApps : matchesRead}),
      own as (select search_row.id as number, search_row.app, search_row.hash from found
        cross join search_row
        where search_row.id = found.number ${isOfApp ? 'and search_row.app = ?' : ''} limit ${matchesRead}),
      latest as (select fault_hash.fault, ${latest}(own.number) as number from own
        cross join fault_hash
        where fault_hash.app = own.app and fault_hash.hash = own.hash
        group by fault_hash.fault)
    select latest.fault, search_row.key, (select count(*) from found) as read, (select count(*) from own) as matched
    from (select 1) as one left join latest left join search_row on search_row.id = latest.number`;
}

/**
 * PostgreSQL takes as many matches as the limit for granted, and would read all of `search_row` for a single one. `lateral` with a
 * limit of its own makes it look up the row of each match.
 */
function findInPostgres(side: Side, isOfApp: boolean): string {
  const { range, order } = numbers[side];
  return `with found as materialized (select id as number from search_text where words @@ $1::tsquery and id ${range}
        order by id ${order} limit ${isOfApp ? matchesOfApps : matchesRead}),
      own as materialized (select found.number, error.key, error.app, error.hash from found
        cross join lateral (select key, app, hash from search_row where id = found.number limit 1) as error
        ${isOfApp ? 'where error.app = $2' : ''} limit ${matchesRead}),
      latest as (select distinct on (fault_hash.fault) fault_hash.fault, own.key from own
        join fault_hash on fault_hash.app = own.app and fault_hash.hash = own.hash
        order by fault_hash.fault, own.number ${order})
    select latest.fault, latest.key, (select count(*) from found) as read, (select count(*) from own) as matched
    from (select 1) as one left join latest on true`;
}

type Found = {
  readonly fault: string | null;
  readonly key: string | null;
  readonly read: number;
  readonly matched: number;
};

function writeFind(engine: Engine, side: Side, match: string, app: string | undefined): CompiledQuery<Found> {
  const isOfApp = app !== undefined;
  const ofApp = isOfApp ? [app] : [];
  switch (engine) {
    case 'sqlite':
      return CompiledQuery.raw(findInSqlite(side, isOfApp), [match, ...ofApp]);
    case 'postgres':
      return CompiledQuery.raw(findInPostgres(side, isOfApp), [writeQuery(match) ?? '', ...ofApp]);
  }
}

/**
 * The faults of which an error matches, of one app or of all. Where there are too many matches, only the latest are looked at: so many
 * that servers told, and so many that browsers report.
 */
export async function findMatches(db: Kysely<Tables>, match: string, app?: string): Promise<Matches> {
  const latest = new Map<string, string>();
  const cut = new Set<Side>();
  let searched = matchesOfApps;
  for (const side of ['browser', 'server'] as const) {
    const { rows } = await db.executeQuery(writeFind(engineOf(db), side, match, app));
    for (const { fault, key } of rows) if (fault !== null && key !== null) latest.set(fault, key);
    const [{ read, matched } = { read: 0, matched: 0 }] = rows;
    if (matched >= matchesRead) searched = matchesRead;
    if (matched >= matchesRead || read >= matchesOfApps) cut.add(side);
  }
  return { latest, cut, searched };
}
