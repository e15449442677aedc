import type { PoolClient, QueryResultRow } from 'pg';

import { describeError } from '#boundary';
import { openPool } from '#src/store/postgres/open-pool.ts';
import { isDatabaseGone, readPostgresCode } from '#src/store/postgres/postgres-errors.ts';

import { latestPostgresVersion, writeStep } from './tables.ts';

/**
 * The writer's one connection. What it does is tried again while the database is gone, as long as somebody wants to wait: flights
 * wait in memory meanwhile, and pages for nothing.
 *
 * Locks, so that several instances write at once and none waits for another in a circle. They are the recorder's own: the
 * store's one-writer lock is not taken, since flights are many and expendable. A transaction takes them in this order.
 * - `parts`: alone, by who begins a part, and by who makes the tables.
 * - `content`: shared by all who add or change flights, alone by who deletes some or drops a part. So a body that was found is there
 *   until the flight that refers to it is, and a part does not go while somebody writes into it.
 * - `order`: alone, by who adds or changes rows of `flight`, from the giving of ids to the commit. So ids are seen in their order: who
 *   has read the newest id has seen all below it, and lists that ask for what is newer miss nothing. What is read under it
 *   stays true until the commit. It is held for a few milliseconds; bodies are written before.
 * They are numbers of this schema: two recordings in one database do not wait for each other.
 */
export const locks = { parts: 1, content: 2, order: 3 } as const;

/** Writes the lock as a statement, which is for a transaction only. */
export function writeLock(lock: keyof typeof locks, isShared = false): string {
  const take = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  return `select ${take}(hashtext('flights ' || current_schema()), ${locks[lock]})`;
}

/** Between two tries. A restart takes seconds. */
const retryMs = 500;
/** Another transaction took a lock that this one needed: a deadlock, or a lock that was not given in time. */
const collisions = new Set(['40001', '40P01', '55P03']);

const missingTable = '42P01';

export type ConnectionOptions = {
  readonly url: string;
  /** Whether to try again when the database is gone. */
  readonly isPatient: () => boolean;
  /** Called when the database is gone, with the reason, and with undefined when it is there again. */
  readonly onGone: (reason: string | undefined) => void;
};

export type Transaction = {
  readonly query: <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
};

export type FlightsConnection = {
  /**
   * Runs `work` in a transaction that begins with `first`, and commits. It may be run again from its beginning, where nothing of
   * it was committed; `wasCommitted` says whether it was, when nobody knows.
   */
  readonly transact: <T>(
    first: string,
    work: (transaction: Transaction) => Promise<T>,
    wasCommitted?: (transaction: Transaction) => Promise<T | undefined>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
};

function asTransaction(client: PoolClient): Transaction {
  return {
    async query(text, values = []) {
      const { rows } = await client.query(text, [...values]);
      return rows;
    },
  };
}

/** Refuses tables of a later version, and brings others to this one. */
async function upgrade(client: PoolClient): Promise<void> {
  await client.query(`begin; ${writeLock('parts')}`);
  await client.query(`create table if not exists flight_version (version integer not null)`);
  const { rows } = await client.query<{ version: number }>('select version from flight_version');
  if (rows.length === 0) await client.query('insert into flight_version values (0)');
  const found = rows[0]?.version ?? 0;
  if (found > latestPostgresVersion) {
    throw new Error(`the tables of flights have version ${found} and this build knows ${latestPostgresVersion}`);
  }
  for (let version = found + 1; version <= latestPostgresVersion; version += 1) {
    await client.query(writeStep(version));
  }
  await client.query('commit');
}

export function openConnection({ url, isPatient, onGone }: ConnectionOptions): FlightsConnection {
  const pool = openPool(url, { most: 1, purpose: 'flights' });
  let upgraded: Promise<void> | undefined;
  let isGone = false;

  function tell(reason: string | undefined): void {
    if (isGone !== (reason !== undefined)) onGone(reason);
    isGone = reason !== undefined;
  }

  /** Closes the connection, which rolls back. */
  function drop(client: PoolClient, error: unknown): void {
    if (isDatabaseGone(error)) pool.avoidHost(client);
    client.release(true);
  }

  async function connect(): Promise<PoolClient> {
    const client = await pool.connect();
    try {
      await (upgraded ??= upgrade(client));
      return client;
    } catch (error) {
      upgraded = undefined;
      drop(client, error);
      throw error;
    }
  }

  /** @throws after it has closed the connection, which rolls back */
  async function tryOnce<T>(run: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    try {
      const result = await run(client);
      client.release();
      return result;
    } catch (error) {
      drop(client, error);
      throw error;
    }
  }

  /** Whether it is worth another try; waits until then. */
  async function mayTryAgain(error: unknown): Promise<boolean> {
    // Somebody has deleted the tables.
    if (readPostgresCode(error) === missingTable) upgraded = undefined;
    const wasGone = isDatabaseGone(error);
    if (wasGone) tell(describeError(error));
    if (!(wasGone || collisions.has(readPostgresCode(error) ?? '')) || !isPatient()) return false;
    // A pause does not keep the thread alive; the port does.
    await new Promise((resolve) => void setTimeout(resolve, retryMs));
    return true;
  }

  return {
    async transact(first, work, wasCommitted) {
      /** The last try ended in the middle of a commit. */
      let isUnknown = false;
      for (;;) {
        try {
          const result = await tryOnce(async (client) => {
            const known = isUnknown ? await wasCommitted?.(asTransaction(client)) : undefined;
            isUnknown = false;
            if (known !== undefined) return known;
            await client.query(`begin; ${first}`);
            const made = await work(asTransaction(client));
            isUnknown = true;
            await client.query('commit');
            return made;
          });
          tell(undefined);
          return result;
        } catch (error) {
          if (!(await mayTryAgain(error))) throw error;
        }
      }
    },
    close: () => pool.end(),
  };
}
