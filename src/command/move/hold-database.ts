import { type Kysely, sql } from 'kysely';
import type { PoolClient } from 'pg';

import { describeError } from '#boundary';
import { locks } from '#src/store/postgres/locks.ts';
import { openPool } from '#src/store/postgres/open-pool.ts';
import { readPostgresCode } from '#src/store/postgres/postgres-errors.ts';
import type { Tables } from '#src/store/schema.ts';

/**
 * Keeps servers and commands from a PostgreSQL database while a move reads or writes it, as the lock of a data folder does. The lock
 * lives as long as its transaction: PostgreSQL gives it back however this process ends. It changes nothing there.
 */
export type Hold = {
  /** @throws when the database was not held all the time, or somebody uses it */
  readonly require: () => Promise<void>;
  readonly end: () => Promise<void>;
};

/** A server that is being started asks for the lock for a moment; a move that was killed has it for a moment longer. */
const waitMs = 2_000;
const lockNotGiven = '55P03';

/** A server that runs tells so with its connections. Those that were started before the lock was taken are found by them. */
async function refuseServers(db: Kysely<Tables>, shown: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name like 'flight-recorder%'
      and application_name <> 'flight-recorder move'`.execute(db);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new Error(`${shown} is in use by a server: it has ${count} connections there. Stop every instance first.`);
}

async function lock(client: PoolClient, shown: string): Promise<void> {
  try {
    await client.query(`begin; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = ${waitMs};
      select pg_advisory_xact_lock(${locks.move})`);
  } catch (error) {
    if (readPostgresCode(error) !== lockNotGiven) throw error;
    throw new Error(`Another move is at work on ${shown}. Wait until that has ended.`, { cause: error });
  }
}

/** @throws while somebody uses the database */
export async function holdDatabase(url: string, db: Kysely<Tables>, shown: string): Promise<Hold> {
  const pool = openPool(url, { most: 1, purpose: 'move' });
  let client: PoolClient | undefined;
  let ending: Promise<void> | undefined;

  function end(): Promise<void> {
    if (!ending) {
      client?.release(true);
      ending = pool.end();
    }
    return ending;
  }

  try {
    client = await pool.connect();
    await lock(client, shown);
    await refuseServers(db, shown);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    async require() {
      try {
        await client?.query('select 1');
      } catch (error) {
        throw new Error(
          `The connection that kept servers from ${shown} was lost (${describeError(error)}). Begin the move anew.`,
          { cause: error },
        );
      }
      await refuseServers(db, shown);
    },
    end,
  };
}
