import type { QueryExecutorProvider, RawBuilder } from 'kysely';

import type { Engine } from '#src/store/dialect.ts';

import type { Row, Value } from './canonical-row.ts';

/** A table as it is moved: which rows it has, how they are read and how they are written. */
export type MovedTable = {
  readonly name: string;
  /** What its rows are sorted and found by; no two rows share it. */
  readonly key: readonly string[];
  /** In which of SQLite's two files it is. */
  readonly of: 'store' | 'flights';
  /** Whether rows keep the numbers that SQLite gives them: they order what happened at one moment. */
  readonly hasRowid: boolean;
  /** Its columns, where they are not simply those of the table. */
  readonly columns?: readonly string[];
  /** What to read of it and from where. */
  readonly select?: (engine: Engine) => RawBuilder<unknown>;
  readonly write?: (trx: QueryExecutorProvider, engine: Engine, rows: readonly Row[]) => Promise<void>;
  /** Triggers write it: it is compared and not copied. */
  readonly isDerived?: true;
};

/** The key of a row, to read on behind it. */
export function keyOf({ key }: Pick<MovedTable, 'key'>, row: Row): readonly Value[] {
  return key.map((column) => row[column] ?? null);
}
