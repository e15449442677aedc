import { type Compilable, type CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely';

import { type Engine, engineOf } from './engine-of.ts';
import type { Tables } from './schema.ts';

/**
 * `compileOnce` for a statement with values, on a path that is taken thousands of times a second: to build a query and to write it
 * as SQL takes several times as long as SQLite needs to run it. It is built once for each engine, with markers in the places of
 * the values.
 */
class Marker {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type Value = string | number | null;

export function compileWith<Values extends Readonly<Record<string, Value>>, Row = unknown>(
  build: (
    db: Kysely<Tables>,
    value: <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>,
  ) => Compilable<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<QueryResult<Row>> {
  const texts = new Map<Engine, CompiledQuery<Row>>();
  return async function run(db, values) {
    const engine = engineOf(db);
    const compiled = texts.get(engine) ?? build(db, (name) => sql`${new Marker(name)}`).compile();
    texts.set(engine, compiled);
    const parameters = compiled.parameters.map((part) => (part instanceof Marker ? values[part.name] : part));
    return db.executeQuery({ ...compiled, parameters });
  };
}
