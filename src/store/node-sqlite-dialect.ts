import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

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

/**
 * Kysely on `node:sqlite`. Kysely's own SQLite driver expects better-sqlite3's statements; this gives it the four
 * members that it calls. There is one connection: `SqliteAdapter` says so, and Kysely then lets one query or one
 * transaction at a time have it, which is what keeps two transactions from running into each other across an `await`.
 *
 * Statements are kept by their SQL text: the app has a few dozen distinct ones, and preparing an insert costs more than
 * running it.
 */
const statementsKept = 100;

/** `node:sqlite` has no booleans and fails late and unclearly on objects, so both are settled here. */
function toSqlValue(value: unknown, index: number): SQLInputValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new TypeError(`SQL parameter ${index + 1} is ${typeof value}, which SQLite cannot store`);
  }
}

/** Sees every error of the database. @returns whether the same statement may succeed now */
type OnError = (error: unknown) => boolean;

/** A statement of a transaction is not run again: what came before it may be undone already. */
function runOnceMore<T>(database: DatabaseSync, onError: OnError, run: () => T): T {
  const isAlone = !database.isTransaction;
  try {
    return run();
  } catch (error) {
    if (!onError(error) || !isAlone) throw error;
    return run();
  }
}

function prepare(database: DatabaseSync, sql: string, onError: OnError): SqliteStatement {
  // Reads the tables' pages for the first time, so damage may show here.
  const statement = runOnceMore(database, onError, () => database.prepare(sql));
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => runOnceMore(database, onError, () => statement.all(...parameters.map(toSqlValue))),
    run: (parameters) => runOnceMore(database, onError, () => statement.run(...parameters.map(toSqlValue))),
    iterate: (parameters) => statement.iterate(...parameters.map(toSqlValue)),
  };
}

function cacheStatements(database: DatabaseSync, onError: OnError): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const known = statements.get(sql);
      // Taken out and put back, so that the map's first key is the one unused for longest.
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

  /** SQLite has undone some failed transactions itself, on a full disk above all; that error must stay the one told. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }
}

/**
 * Writes a limit into the text. SQLite plans by a limit's value: for one that is a parameter it prepares the statement
 * anew each time one is bound, which takes longer than a small query itself. Ours are constants, but for those of what
 * retention deletes: a text or two a minute.
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
