import { type RawBuilder, sql } from 'kysely';

import type { Engine } from './engine-of.ts';

/**
 * `column` is one of `values`, with all of them in one parameter: so a list of any length is one statement, which is prepared once,
 * and none is too long. For a few values of a fixed number, Kysely's `in` says the same.
 */
export function isOneOf(
  engine: Engine,
  column: RawBuilder<unknown>,
  values: readonly string[] | readonly number[],
): RawBuilder<boolean> {
  switch (engine) {
    case 'sqlite':
      return sql<boolean>`${column} in (select value from json_each(${JSON.stringify(values)}))`;
    case 'postgres': {
      // An empty list has no type.
      if (values.length === 0) return sql<boolean>`false`;
      const type = typeof values[0] === 'number' ? sql`bigint[]` : sql`text[]`;
      return sql<boolean>`${column} = any(${writeArray(values)}::${type})`;
    }
  }
}

/** Writes an array as PostgreSQL reads it from a text. */
function writeArray(values: readonly (string | number)[]): string {
  return `{${values.map((value) => `"${String(value).replace(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
