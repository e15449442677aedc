import type { Compilable, CompiledQuery, Kysely } from 'kysely';

import { type Engine, engineOf } from './engine-of.ts';
import type { Tables } from './schema.ts';

/**
 * For a query that every view of a page makes, and that takes no parameters from the request. To build it and to write it as SQL
 * takes several times as long as SQLite needs to answer it. Here that happens once for each engine. The text does not depend on a
 * connection, so it serves every store.
 */
export function compileOnce<Row>(
  build: (db: Kysely<Tables>) => Compilable<Row>,
): (db: Kysely<Tables>) => Promise<Row[]> {
  const texts = new Map<Engine, CompiledQuery<Row>>();
  return async function run(db) {
    const engine = engineOf(db);
    const compiled = texts.get(engine) ?? build(db).compile();
    texts.set(engine, compiled);
    const { rows } = await db.executeQuery(compiled);
    return rows;
  };
}
