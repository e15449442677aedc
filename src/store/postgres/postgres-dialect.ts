import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type InsertQueryNode,
  OrActionNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { PoolClient } from 'pg';

import { toSqlValue, type SqlValue } from '../to-sql-value.ts';
import type { AfterWrite } from './figures.ts';
import { locks } from './locks.ts';
import { breakConnection, type Pool } from './open-pool.ts';
import { isDatabaseGone } from './postgres-errors.ts';
import { createWaits, type Waits } from './waits.ts';

/**
 * Kysely on `pg`, with SQLite's rules for who writes when: a transaction that may write begins with the turn to write, an
 * advisory lock that all instances share, and holds it to its end. So what it reads stays true until it has written, no two
 * transactions can wait for each other, and code that was written for SQLite has no race here. A transaction that is read-only
 * takes no turn and sees one state of the database from its beginning to its end, as in SQLite.
 */
const begin = `begin; select pg_advisory_xact_lock(${locks.write})`;
const beginReading = 'begin isolation level repeatable read, read only';

type Connection = DatabaseConnection & {
  readonly client: PoolClient;
  /** After an error that leaves it unknown what the server does with this connection. */
  isBroken: boolean;
  state: 'alone' | 'reading' | 'writing';
};

/** PostgreSQL's texts cannot hold NUL. */
function toParameter(value: unknown, index: number): SqlValue {
  const parameter = toSqlValue(value, index, 'the database');
  const hasNul = typeof parameter === 'string' && parameter.includes('\0');
  return hasNul ? parameter.replaceAll('\0', '\uFFFD') : parameter;
}

type AnyResult = { readonly command: string; readonly rows: readonly unknown[] };

const writing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

type Options = {
  /** Sees every error of the database. */
  readonly onError?: (error: unknown) => void;
  /** Is asked at the end of each transaction that may have written, in the round trip of `commit`, and after each statement. */
  readonly afterWrite?: AfterWrite;
  /** Whose reads wait for the server, and who waits for a connection. */
  readonly waits?: Waits;
};

/** Whoever writes is not told that no answer comes before that is sure: what was sent may be committed. */
const reads = /^\s*(?:select|with)\b/i;

/** The tables whose rows `afterWrite` counts. */
const countedTables = /\b(?:event|fault)\b/;

class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #options: Options;
  readonly #waits: Waits;
  readonly #connections = new WeakMap<DatabaseConnection, Connection>();

  constructor(pool: Pool, options: Options) {
    this.#pool = pool;
    this.#options = options;
    this.#waits = options.waits ?? createWaits();
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const connecting = this.#pool.connect();
    const giveBack = () => void connecting.then((late) => late.release()).catch(() => undefined);
    const client = await this.#waits.during(connecting, giveBack).catch((error: unknown) => {
      this.#options.onError?.(error);
      throw error;
    });
    const connection = this.#wrap(client);
    this.#connections.set(connection, connection);
    return connection;
  }

  #wrap(client: PoolClient): Connection {
    const note = (error: unknown) => this.#note(connection, error);
    const { afterWrite } = this.#options;
    const waits = this.#waits;
    const connection: Connection = {
      client,
      isBroken: false,
      state: 'alone',
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        try {
          const asked = client.query(sql, parameters.map(toParameter));
          const isRead = connection.state !== 'writing' && reads.test(sql);
          const answer = isRead ? waits.during(asked, () => breakConnection(client)) : asked;
          const { command, rowCount, rows } = await answer;
          if (!writing.has(command)) return { rows };
          if (afterWrite && connection.state === 'alone' && countedTables.test(sql)) {
            afterWrite.note((await client.query(afterWrite.text)).rows[0]);
          }
          return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
        } catch (error) {
          note(error);
          throw error;
        }
      },
      streamQuery() {
        throw new Error('Nothing streams rows from the database');
      },
    };
    return connection;
  }

  #note(connection: Connection, error: unknown): void {
    this.#options.onError?.(error);
    if (!isDatabaseGone(error)) return;
    connection.isBroken = true;
    this.#pool.avoidHost(connection.client);
  }

  #find(connection: DatabaseConnection): Connection {
    const found = this.#connections.get(connection);
    if (!found) throw new Error('This connection is not one of this driver');
    return found;
  }

  /** @returns the result of each statement of `text` */
  async #run(connection: Connection, text: string): Promise<readonly AnyResult[]> {
    try {
      const { client } = connection;
      const asked: Promise<AnyResult | readonly AnyResult[]> = client.query(text);
      const answer = await (text === beginReading ? this.#waits.during(asked, () => breakConnection(client)) : asked);
      return 'command' in answer ? [answer] : answer;
    } catch (error) {
      connection.isBroken = true;
      this.#note(connection, error);
      throw error;
    }
  }

  async beginTransaction(given: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    const connection = this.#find(given);
    const isReading = accessMode === 'read only';
    await this.#run(connection, isReading ? beginReading : begin);
    connection.state = isReading ? 'reading' : 'writing';
  }

  /** PostgreSQL answers `commit` with ROLLBACK when a statement had failed and its error was caught. */
  async commitTransaction(given: DatabaseConnection): Promise<void> {
    const connection = this.#find(given);
    const afterWrite = connection.state === 'writing' ? this.#options.afterWrite : undefined;
    const results = await this.#run(connection, afterWrite ? `${afterWrite.text}; commit` : 'commit');
    connection.state = 'alone';
    if (results.at(-1)?.command === 'ROLLBACK') {
      throw new Error('The transaction was rolled back: one of its statements had failed');
    }
    afterWrite?.note(results[0]?.rows[0]);
  }

  /** A connection that cannot roll back is closed, which rolls back, too. The first error must stay the one reported. */
  async rollbackTransaction(given: DatabaseConnection): Promise<void> {
    const connection = this.#find(given);
    if (connection.isBroken) return;
    connection.state = 'alone';
    await this.#run(connection, 'rollback').catch(() => undefined);
  }

  async releaseConnection(given: DatabaseConnection): Promise<void> {
    const { client, isBroken } = this.#find(given);
    client.release(isBroken);
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

/**
 * SQLite's `or fail` spares a copy of pages that a failed statement would have to undo, where the transaction is rolled back anyway.
 * PostgreSQL has no such word, and rolls back always.
 */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitInsertQuery(node: InsertQueryNode): void {
    const { orAction, ...rest } = node;
    if (orAction && OrActionNode.is(orAction) && orAction.action !== 'fail') {
      throw new Error(`insert or ${orAction.action} is SQLite's alone; say on conflict`);
    }
    super.visitInsertQuery(rest);
  }
}

/** `pool` belongs to Kysely from here on: `Kysely.destroy` ends it, if it was used. */
export function postgresDialect(pool: Pool, options: Options = {}): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool, options),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresCompiler(),
  };
}
