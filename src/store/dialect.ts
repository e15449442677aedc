import { type Kysely, type RawBuilder, sql } from 'kysely';

import { type Engine, engineOf } from './engine-of.ts';

export type { Engine };

/**
 * What a statement must say in another way on each database. All other statements are the same on both, and nothing above the store asks
 * which of the two it has.
 */

type Dialect = {
  /** It is a server of its own, which several machines may share: what is in files of this machine is no part of it. */
  readonly isRemote: boolean;
  /** With its version. */
  readonly name: RawBuilder<string>;
  /** Of SQLite with the file's free pages and without the write-ahead log; of PostgreSQL of all tables, those of flights too. */
  readonly bytes: RawBuilder<number>;
  /** Of tables that have parts, without what is free in SQLite's file of them. */
  readonly bytesOfParts: (tables: readonly string[]) => RawBuilder<number>;
  /** Where a row of any table is, for as long as nobody changes it. */
  readonly rowPlace: RawBuilder<number>;
  /**
   * `column` is one of `values`, with all of them in one parameter: so a list of any length is one statement, which is prepared once,
   * and none is too long. For a few values of a fixed number, Kysely's `in` says the same.
   */
  readonly isOneOf: (column: RawBuilder<unknown>, values: readonly string[] | readonly number[]) => RawBuilder<boolean>;
  /** All values of a group, with `,` between them; null where there is none. */
  readonly joinValues: <T extends string | null>(value: RawBuilder<unknown>) => RawBuilder<T>;
  /** Of a text that is an array in JSON. */
  readonly countItems: (json: RawBuilder<unknown>) => RawBuilder<number>;
  /** A number as a text that sorts as the number does. */
  readonly padNumber: (number: RawBuilder<unknown>, digits: number) => RawBuilder<string>;
  /** A table `each` whose column `value` has these, in one parameter. */
  readonly tableOf: (values: readonly string[]) => RawBuilder<unknown>;
  /** For each of these values the rows of a select, which has an order and a limit of its own. For `valuesTogether` values at most. */
  readonly ofEach: (
    values: readonly string[],
    select: (value: RawBuilder<unknown>) => RawBuilder<unknown>,
  ) => RawBuilder<unknown>;
};

/** SQLite puts at most 500 selects together. */
export const valuesTogether = 400;

const dialects = {
  sqlite: {
    isRemote: false,
    name: sql<string>`'SQLite ' || sqlite_version()`,
    bytes: sql<number>`(select page_count * page_size from pragma_page_count(), pragma_page_size())`,
    bytesOfParts: () => sql`(select (page_count - freelist_count) * page_size
      from pragma_page_count(), pragma_freelist_count(), pragma_page_size())`,
    rowPlace: sql<number>`rowid`,
    isOneOf: (column, values) => sql`${column} in (select value from json_each(${JSON.stringify(values)}))`,
    joinValues: (value) => sql`group_concat(${value})`,
    countItems: (json) => sql`json_array_length(${json})`,
    padNumber: (number, digits) => sql`printf(${sql.lit(`%0${digits}d`)}, ${number})`,
    tableOf: (values) => sql`json_each(${JSON.stringify(values)}) as each`,
    ofEach(values, select) {
      const selects = values.map((value) => sql`select * from (${select(sql`${value}`)}) as one`);
      return sql.join(selects, sql` union all `);
    },
  },
  postgres: {
    isRemote: true,
    // Without what its distribution adds in brackets.
    name: sql<string>`'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)`,
    bytes: sql<number>`pg_database_size(current_database())`,
    bytesOfParts: (tables) => sql`(select coalesce(sum(pg_total_relation_size(inhrelid)), 0) from pg_inherits
      where inhparent in (${sql.join(tables.map((table) => sql`to_regclass(${sql.lit(table)})`))})
        and inhrelid in (select oid from pg_class where relkind = 'r'))`,
    rowPlace: sql<number>`ctid`,
    isOneOf(column, values) {
      // An empty list has no type.
      if (values.length === 0) return sql<boolean>`false`;
      const type = typeof values[0] === 'number' ? sql`bigint[]` : sql`text[]`;
      return sql<boolean>`${column} = any(${writeArray(values)}::${type})`;
    },
    joinValues: (value) => sql`string_agg(cast(${value} as text), ',')`,
    countItems: (json) => sql`json_array_length(cast(${json} as json))`,
    padNumber: (number, digits) => sql`lpad(${number}::text, ${sql.lit(digits)}, '0')`,
    tableOf: (values) => sql`unnest(${writeArray(values)}::text[]) as each (value)`,
    // It plans one select. Four hundred that are put together took it 0.1 s to plan.
    ofEach: (values, select) => sql`select one.* from unnest(${writeArray(values)}::text[]) as each (value)
      cross join lateral (${select(sql`each.value`)}) as one`,
  },
} as const satisfies Record<Engine, Dialect>;

export function dialectOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Dialect {
  return dialects[engineOf(db)];
}

/** Writes an array as PostgreSQL reads it from a text. */
function writeArray(values: readonly (string | number)[]): string {
  return `{${values.map((value) => `"${String(value).replace(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
