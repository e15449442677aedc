import type { Compilable, CompiledQuery, Kysely } from 'kysely';

import type { Tables } from './schema.ts';

/**
 * A query without parameters of a request's own, for what is asked with every view of a page. Putting one together and
 * writing it down as SQL takes several times what SQLite needs to answer it; here that happens once, and the text is
 * good for any store, since it names no connection.
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
