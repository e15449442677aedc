import type { QueryExecutorProvider } from 'kysely';

import type { Engine } from '#src/store/dialect.ts';

import type { MovedTable } from './moved-table.ts';

/** One end of a move. */
export type Side = {
  readonly engine: Engine;
  /** Without a password. */
  readonly shown: string;
  /** The database with this kind of tables; undefined where nothing was recorded yet. */
  readonly db: (of: MovedTable['of']) => QueryExecutorProvider | undefined;
  /** Asked at the end. @throws when a server may have used it meanwhile */
  readonly requireHeld: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type Target = Side & {
  readonly transact: (of: MovedTable['of'], write: (trx: QueryExecutorProvider) => Promise<void>) => Promise<void>;
  /** Everything is there and was compared: a server may start on it. Closes it, too. */
  readonly finish: () => Promise<void>;
};
