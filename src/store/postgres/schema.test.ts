import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Kysely, sql } from 'kysely';
import { expect, it, vi } from 'vitest';

import { columnSteps, migrations } from '../migrations.ts';
import { openStore } from '../open-store.ts';
import type { Tables } from '../schema.ts';
import { asBytes } from './as-bytes.ts';
import { steps } from './migrate.ts';

/** Only PostgreSQL has them, or only SQLite: what each is for stands in its own file. */
const ofOneEngine = /^(?:schema_version|data_version|search_text.*|sqlite_.*|notification)$/;

type Column = { readonly type: string; readonly isRequired: boolean; readonly initial: string | null };
type Described = Record<string, { columns: Record<string, Column>; indexes: string[] }>;

/** `'x'::text` and `'x'`; numbers as they are. */
function normalise(initial: string | null): string | null {
  return initial === null ? null : initial.replace(/::\w+/g, '').replace(/^\((.*)\)$/, '$1');
}

async function describeSqlite(db: Kysely<Tables>): Promise<Described> {
  const { rows: columns } = await sql<Column & { in_table: string; name: string; type: string; key: number }>`
    select master.name as in_table, info.name, lower(info.type) as type, info."notnull" as isRequired, info.dflt_value as initial,
      info.pk as key
    from sqlite_master as master, pragma_table_info(master.name) as info where master.type = 'table'`.execute(db);
  const { rows: indexes } = await sql<{ in_table: string; text: string }>`
    select master.name as in_table, list."unique" || ' ' || (select group_concat(name, ', ') from
      (select name from pragma_index_info(list.name) order by seqno)) || iif(list.partial, ' where', '') as text
    from sqlite_master as master, pragma_index_list(master.name) as list where master.type = 'table'`.execute(db);
  return collect(columns, indexes);
}

async function describePostgres(db: Kysely<Tables>): Promise<Described> {
  const { rows: columns } = await sql<Column & { in_table: string; name: string; key: number }>`
    select table_name as in_table, column_name as name, data_type as type, is_nullable = 'NO' as "isRequired",
      column_default as initial, 0 as key
    from information_schema.columns
    where table_schema = 'public' and column_name <> 'rowid'`.execute(db);
  const { rows: indexes } = await sql<{ in_table: string; text: string }>`
    select table_class.relname as in_table, (index.indisunique::int)::text || ' ' || (
        select string_agg(attname, ', ' order by place) from unnest(index.indkey) with ordinality as key (number, place)
          join pg_attribute on attrelid = table_class.oid and attnum = key.number)
      || case when index.indpred is null then '' else ' where' end as text
    from pg_index as index join pg_class as table_class on table_class.oid = index.indrelid
    where table_class.relnamespace = 'public'::regnamespace
      -- SQLite has such a row at its number, without an index.
      and not (index.indisprimary and exists (
        select 1 from pg_attribute where attrelid = table_class.oid and attname = 'id' and attidentity <> ''))`.execute(
    db,
  );
  return collect(columns, indexes);
}

function collect(
  columns: readonly (Column & { readonly in_table: string; readonly name: string; readonly key: number })[],
  indexes: readonly { readonly in_table: string; readonly text: string }[],
): Described {
  const tables: Described = {};
  for (const { in_table, name, type, isRequired, initial, key } of columns) {
    if (ofOneEngine.test(in_table)) continue;
    const table = (tables[in_table] ??= { columns: {}, indexes: [] });
    const column = { type: type === 'integer' ? 'bigint' : type, isRequired: Boolean(isRequired) || key > 0 };
    table.columns[name] = { ...column, initial: normalise(initial) };
  }
  for (const { in_table, text } of indexes) {
    // SQLite's number of a row needs no index, and a number that is the key is that number.
    if (/^1 (?:rowid|id)$/.test(text) && /^(?:search_.*)$/.test(in_table)) continue;
    if (text !== '1 rowid') tables[in_table]?.indexes.push(text);
  }
  for (const table of Object.values(tables)) table.indexes.sort();
  return tables;
}

it('has the tables, columns and indexes that SQLite has', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-schema-'));
  const actual = await vi.importActual<typeof import('../open-store.ts')>('../open-store.ts');
  const sqlite = await actual.openStore(path.join(folder, 'sqlite'));
  const postgres = await openStore(path.join(folder, 'postgres'));
  try {
    const [one, other] = [await describeSqlite(sqlite.db), await describePostgres(postgres.db)];
    expect(Object.keys(one).length).toBeGreaterThan(25);
    for (const name of Object.keys(one)) expect({ name, ...other[name] }).toEqual({ name, ...one[name] });
  } finally {
    await sqlite.close();
    await postgres.close();
    rmSync(folder, { recursive: true });
  }
});

it('compares texts as bytes, whatever the order of the database is', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-schema-'));
  const { db, close } = await openStore(folder);
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'`.execute(db);
  await close();
  rmSync(folder, { recursive: true });
  expect(rows).toEqual([]);
});

it('gives an older database a column that came since, compared as bytes', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-schema-'));
  const { db, close } = await openStore(folder);
  const added = { name: 'shard', type: "text not null default 'none'", since: 19 };
  const [[, step] = []] = columnSteps(asBytes, [added, { ...added, name: 'digest' }]);
  await step?.up(db);
  const { rows } = await sql`
    select is_nullable, column_default, collation_name from information_schema.columns
    where table_name = 'event' and column_name = 'shard'`.execute(db);
  await close();
  rmSync(folder, { recursive: true });
  expect(rows).toEqual([{ is_nullable: 'NO', column_default: expect.stringContaining("'none'"), collation_name: 'C' }]);
});

it('stands where SQLite stands', () => {
  expect(steps.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
});
