import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';

import { type Engine, engineOf } from './engine-of.ts';
import { type SearchedRow, writeSearchText } from './search-text.ts';
import { writeQuery, writeWords } from './search-words.ts';
import type { FacetName, Tables } from './schema.ts';

/**
 * Migration step 8: full-text search of occurrences, and what faults can be filtered by. In PostgreSQL the index is a `tsvector`
 * (postgres/create-search-tables.ts); which words there are, what is due and what a match is are the same.
 *
 * `search_text` is an index without the texts: it knows which words are in which row, by a number. `search_row` gives an occurrence
 * its number, since the rowids of `error` and `report` may change when somebody runs `VACUUM`. It has the hash too: from a match
 * to its fault is two steps through keys, and the occurrence itself, some 10 KiB, is not read.
 *
 * Triggers note in `search_due` which rows have to be indexed, so no writer of `error` and `report` can forget it. `indexDue` does
 * it: at the end of each group of writes in its transaction (group-commit.ts), and once in a while for everything else. A trigger
 * that wrote into the index itself would cost twice as much: SQLite's full-text index writes what it gathered whenever a
 * statement begins that may have to be undone, and a statement with a trigger may.
 *
 * `fault_facet` says which values a hash has had: in which releases, environments and phases and on which routes. It belongs to the
 * hash, as counts do, and stays when its occurrences are thinned out.
 */

/** As many as the largest group of writes has: some 20 ms. */
const indexedAtOnce = 200;
/** Values of one kind of one hash, told by servers, and as many claimed by browsers: anybody can post another path. */
const facetsKept = 100;
const facetLength = 200;
const claimed = 'claimed-';

/** Under which names the values of a facet are stored: as servers told them, and as browsers claim them. */
export function listFacetNames(name: FacetName) {
  return [name, `${claimed}${name}`] as const;
}

type Source = {
  readonly table: 'error' | 'report';
  readonly key: 'id' | 'event_id';
  readonly phase: string;
  readonly route: string;
};

const sources: readonly Source[] = [
  { table: 'error', key: 'id', phase: 'phase', route: 'route' },
  { table: 'report', key: 'event_id', phase: "'browser'", route: "''" },
];

/** What is indexed, besides the route, which reports do not have. */
const watched =
  'app, fingerprint, name, message, path, release, environment, frames_json, causes_json, breadcrumbs_json, tags_json';

function writeTriggers({ table, key, route }: Source): string[] {
  function number(row: 'new' | 'old'): string {
    return `(select id from search_row where source = '${table}' and key = ${row}.${key})`;
  }
  const note = `
    insert into search_row (source, key, app, hash) values ('${table}', new.${key}, new.app, new.fingerprint)
      on conflict (source, key) do update set app = excluded.app, hash = excluded.hash;
    insert or ignore into search_due (id) values (${number('new')});`;
  const columns = route === "''" ? watched : `${watched}, ${route}`;
  return [
    `create trigger search_${table}_added after insert on ${table} begin ${note} end`,
    `create trigger search_${table}_changed after update of ${columns} on ${table} begin ${note} end`,
    `create trigger search_${table}_removed after delete on ${table} begin
      delete from search_text where rowid = ${number('old')};
      delete from search_due where id = ${number('old')};
      delete from search_row where source = '${table}' and key = old.${key};
    end`,
  ];
}

/** Rows that are there already are indexed later, in the background: 100 000 would take some ten seconds. */
async function noteExisting(db: Kysely<Tables>): Promise<void> {
  for (const { table, key } of sources) {
    await sql
      .raw(
        `insert into search_row (source, key, app, hash) select '${table}', ${key}, app, fingerprint from ${table} order by rowid`,
      )
      .execute(db);
  }
  await sql`insert into search_due (id) select id from search_row`.execute(db);
}

export async function createSearchTables(db: Kysely<Tables>): Promise<void> {
  await sql`create table search_row (
    id integer primary key not null, source text not null, key text not null, app text not null, hash text not null,
    unique (source, key))`.execute(db);
  await sql`create table search_due (id integer primary key not null)`.execute(db);
  await sql`create table fault_facet (
    app text not null, hash text not null, name text not null, value text not null,
    primary key (app, hash, name, value)) without rowid`.execute(db);
  await sql`create index fault_facet_value on fault_facet (name, value)`.execute(db);
  await sql`create virtual table search_text using fts5 (
    text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2")`.execute(db);
  await noteExisting(db);
  for (const statement of sources.flatMap(writeTriggers)) await sql.raw(statement).execute(db);
}

type DueRow = SearchedRow & {
  readonly number: number;
  readonly app: string;
  readonly hash: string;
  readonly phase: string;
  /** Before the names of facets. */
  readonly prefix: '' | typeof claimed;
};

/** `cross join` keeps the order: from what is due to its row. A row that was deleted meanwhile is not due any more. */
const selectDue = sources.map(
  ({ table, key, phase, route }) =>
    `select search_due.id as number, search_row.app, search_row.hash, '${table === 'report' ? claimed : ''}' as prefix, ${phase} as phase, name, message, ${route} as route, path,
      coalesce(release, '') as release, environment, frames_json, causes_json, breadcrumbs_json, tags_json
    from search_due
    cross join search_row
    cross join ${table}
    where search_row.id = search_due.id and search_row.source = '${table}' and ${table}.${key} = search_row.key
      and search_due.id >= `,
);

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

function listFacets({ app, hash, prefix, release, environment, phase, route, path }: DueRow): string[] {
  if (hash === '') return [];
  const facets = { release, environment, phase, route: route === '' ? path : route };
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
  for (const select of selectDue) {
    const { rows } = await trx.executeQuery<DueRow>(CompiledQuery.raw(`${select}${parameter}`, [first]));
    for (const row of rows) {
      await trx.executeQuery(CompiledQuery.raw(insertText, [row.number, write(writeSearchText(row))]));
      for (const facet of listFacets(row)) facets.add(facet);
    }
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
  /** Of each fault that has an occurrence with these words, the latest such occurrence. */
  readonly latest: ReadonlyMap<string, string>;
  /** Whether older occurrences were not looked at. */
  readonly isCut: boolean;
};

/** From a match to its fault takes some 2 µs. */
export const matchesRead = 20_000;

/** From a match to its fault, of the latest matches. `cross join` keeps the order where SQLite would look for another. */
const findInSqlite = `with found as (select rowid as number from search_text where search_text match ? order by rowid desc limit ${matchesRead}),
      latest as (select fault_hash.fault, max(found.number) as number, count(*) as matched from found
        cross join search_row
        cross join fault_hash
        where search_row.id = found.number and fault_hash.app = search_row.app and fault_hash.hash = search_row.hash
        group by fault_hash.fault)
    select latest.fault, search_row.key, latest.matched from latest cross join search_row where search_row.id = latest.number`;

/**
 * PostgreSQL takes as many matches as the limit for granted, and would read all of `search_row` for a single one. `lateral` with a
 * limit of its own makes it look up the row of each match.
 */
const findInPostgres = `with found as (select id as number from search_text where words @@ $1::tsquery order by id desc limit ${matchesRead})
    select distinct on (fault_hash.fault) fault_hash.fault, occurrence.key,
      count(*) over (partition by fault_hash.fault) as matched
    from found
    cross join lateral (select key, app, hash from search_row where id = found.number limit 1) as occurrence
    join fault_hash on fault_hash.app = occurrence.app and fault_hash.hash = occurrence.hash
    order by fault_hash.fault, found.number desc`;

function writeFind(engine: Engine, match: string): CompiledQuery<{ fault: string; key: string; matched: number }> {
  switch (engine) {
    case 'sqlite':
      return CompiledQuery.raw(findInSqlite, [match]);
    case 'postgres':
      return CompiledQuery.raw(findInPostgres, [writeQuery(match) ?? '']);
  }
}

/** The faults of which an occurrence matches. Of those that are found more often, the latest occurrences alone are looked at. */
export async function findMatches(db: Kysely<Tables>, match: string): Promise<Matches> {
  const { rows } = await db.executeQuery(writeFind(engineOf(db), match));
  return {
    latest: new Map(rows.map(({ fault, key }) => [fault, key])),
    isCut: rows.reduce((sum, { matched }) => sum + matched, 0) >= matchesRead,
  };
}
