import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Gives the statement for this text, prepared once for a connection. */
export type Prepare = (sql: string) => StatementSync;

export function createPrepare(database: DatabaseSync): Prepare {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
}

/** How many flights are read whose ids begin alike: more than begin in one millisecond, and than a tab asks for in a day. */
const alikeRead = { request_id: 500, trace_id: 3_000 } as const;

/**
 * Matches an id by the index of its beginning (see migrations.ts), among the newest that begin as it does. An id is what its sender
 * says: with a hundred thousand that begin alike, each insert would read them all, and every app waits for the one writer.
 */
export function idMatches(
  column: 'request_id' | 'trace_id',
  parameter: string,
  most: number = alikeRead[column],
): string {
  const newest = `select id, ${column} as whole from flight where substr(${column}, 1, 8) = substr(${parameter}, 1, 8)
    order by id desc limit ${most}`;
  return `id in (select id from (${newest}) as alike where whole = ${parameter})`;
}

/** A trace's id is whatever its sender says: what is known of it is known of one app. */
export function nameTrace(app: string, traceId: string): string {
  return `${app} ${traceId}`;
}

/** What a browser may say more of: whether a request was a prefetch, and what became of it. */
export const isEither = "kind = 'navigation-or-prefetch'";
/** Another document may have it from the browser's cache, and not use it. */
export const isNotToldUsed = '(told_at is null or used_at is null)';
/** How long after a click a page tells of it, and among how many of the latest flights what was guessed of it is. */
export const guessedWithinMs = 10_000;
export const guessedAmong = 5_000;
export const mayBePrefetch = `(kind = 'prefetch' or ${isEither})`;

/** A map that keeps the newest `limit` entries. */
export function rememberIn<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > limit && !oldest.done) map.delete(oldest.value);
}
