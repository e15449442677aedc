import type { DatabaseSync } from 'node:sqlite';

import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type LimitNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionSettings,
  ValueNode,
} from 'kysely';

import { toSqlValue, type SqlValue } from './to-sql-value.ts';

/**
 * Kysely on `node:sqlite`. Kysely's own SQLite driver expects better-sqlite3's statements; this gives it the four
 * members that it calls. There is one connection: `SqliteAdapter` says so, and Kysely then lets one query or one
 * transaction at a time have it, which is what keeps two transactions from running into each other across an `await`.
 *
 * Statements are kept by their SQL text: the app has a few dozen distinct ones, and preparing an insert costs more than
 * running it.
 */
const statementsKept = 100;

/** Sees every error of the database. @returns whether the same statement may succeed now */
type OnError = (error: unknown) => boolean;

/** A statement of a transaction is not run again: SQLite may already have undone what came before it. */
function runOnceMore<T>(database: DatabaseSync, onError: OnError, run: () => T): T {
  const isAlone = !database.isTransaction;
  try {
    return run();
  } catch (error) {
    if (!onError(error) || !isAlone) throw error;
    return run();
  }
}

function toParameter(value: unknown, index: number): SqlValue {
  return toSqlValue(value, index, 'SQLite');
}

function prepare(database: DatabaseSync, sql: string, onError: OnError): SqliteStatement {
  // Reads the tables' pages for the first time, so damage may show here.
  const statement = runOnceMore(database, onError, () => database.prepare(sql));
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => runOnceMore(database, onError, () => statement.all(...parameters.map(toParameter))),
    run: (parameters) => runOnceMore(database, onError, () => statement.run(...parameters.map(toParameter))),
    iterate: (parameters) => statement.iterate(...parameters.map(toParameter)),
  };
}

function cacheStatements(database: DatabaseSync, onError: OnError): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = statements.get(sql);
      // Removed and added again, so that the map's first key is the least recently used.
      if (known) statements.delete(sql);
      const statement = known ?? prepare(database, sql, onError);
      statements.set(sql, statement);
      const oldest = statements.keys().next();
      if (statements.size > statementsKept && !oldest.done) statements.delete(oldest.value);
      return statement;
    },
  };
}

/**
 * A transaction that begins as a reader and then writes fails at once, whatever the busy timeout, when another process
 * wrote in between; one that takes the write lock at its beginning waits instead.
 */
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync, onError: OnError) {
    super({ database: cacheStatements(database, onError) });
    this.#database = database;
  }

  /** SQLite itself has already undone some failed transactions, mostly on a full disk. The first error must stay the one reported. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }
}

/**
 * Writes a limit into the text. SQLite's plan depends on a limit's value, so for a limit that is a parameter it prepares the
 * statement again each time a value is bound, which takes longer than a small query itself. The app's limits are constants,
 * except those of retention's deletions, which make one or two texts a minute.
 */
class LiteralLimitCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    if (!ValueNode.is(node.limit)) return super.visitLimit(node);
    this.append('limit ');
    this.appendImmediateValue(node.limit.value);
  }
}

/** `database` belongs to Kysely from here on: `Kysely.destroy` closes it. */
export function nodeSqliteDialect(database: DatabaseSync, onError: OnError = () => false): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateSqliteDriver(database, onError),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LiteralLimitCompiler(),
  };
}
