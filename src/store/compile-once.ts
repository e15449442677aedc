import type { Compilable, CompiledQuery, Kysely } from 'kysely';

import type { Tables } from './schema.ts';

/**
 * For a query that every view of a page makes, and that takes no parameters from the request. To build it and to write it as SQL
 * takes several times as long as SQLite needs to answer it. Here that happens once. The text does not depend on a
 * connection, so it serves every store.
 */
export function compileOnce<Row>(
  build: (db: Kysely<Tables>) => Compilable<Row>,
): (db: Kysely<Tables>) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  return async function run(db) {
    compiled ??= build(db).compile();
    const { rows } = await db.executeQuery(compiled);
    return rows;
  };
}
