import { asBytes } from './as-bytes.ts';

/**
 * The search, as ../search-tables.ts describes it. The words of an event are a `tsvector` that search-words.ts writes, so no
 * parser or dictionary of PostgreSQL has a part in it, and the same words find the same events as in SQLite.
 */
const tables = [
  `search_row (id bigint not null primary key, side text not null, key text not null, app text not null, hash text not null,
    unique (side, key))`,
  'search_due (id bigint not null primary key)',
  'search_text (id bigint not null primary key, words tsvector not null)',
];

/** The number of a new row, outwards from zero. */
export const nextNumber = `case new.side when 'browser' then nextval('search_untrusted') else nextval('search_told') end`;

export const searchStatements: readonly string[] = [
  ...tables.map((table) => `create table ${asBytes(table)}`),
  'create sequence search_told',
  'create sequence search_untrusted increment by -1 maxvalue -1 start with -1',
  'create index search_text_words on search_text using gin (words)',
];
