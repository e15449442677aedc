import { type Kysely, PostgresAdapter } from 'kysely';

/** What keeps the data. Everything above the store is the same on both, except where a statement asks for it. */
export type Engine = 'sqlite' | 'postgres';

/** Returns the engine of a database or a transaction, for the few statements that have no words in common. */
export function engineOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}
