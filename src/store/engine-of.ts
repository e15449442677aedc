import { type Kysely, PostgresAdapter } from 'kysely';

/** What keeps the data. Everything above the store is the same on both, except where a statement asks for it. */
export type Engine = 'sqlite' | 'postgres';

/** Of a database or a transaction. For the few statements that both cannot be told in the same words. */
export function engineOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}
