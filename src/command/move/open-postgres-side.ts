import { Kysely, sql } from 'kysely';

import { openConnection } from '#src/flights/writer/postgres/connection.ts';
import { latestPostgresVersion } from '#src/flights/writer/postgres/tables.ts';
import { parseDatabaseUrl } from '#src/server/environment/parse-database-url.ts';
import { versionAfter } from '#src/store/migrations.ts';
import { migrate, movingTable, steps } from '#src/store/postgres/migrate.ts';
import { openPool } from '#src/store/postgres/open-pool.ts';
import { postgresDialect } from '#src/store/postgres/postgres-dialect.ts';
import type { Tables } from '#src/store/schema.ts';

import { type Hold, holdDatabase } from './hold-database.ts';
import { movedTables } from './moved-tables.ts';
import type { Side, Target } from './side.ts';

/** A PostgreSQL database as one end of a move: tables of both kinds are in one. */

function connect(url: string) {
  const shown = parseDatabaseUrl(url)?.shown;
  if (shown === undefined) throw new Error('The address is no connection string of PostgreSQL');
  const db = new Kysely<Tables>({ dialect: postgresDialect(openPool(url, { most: 2, purpose: 'move' })) });
  let held: Hold | undefined;
  return {
    db,
    shown,
    async hold(): Promise<Hold> {
      held = await holdDatabase(url, db, shown);
      return held;
    },
    /** Lets servers use it again. */
    async close(): Promise<void> {
      await held?.end();
      await db.destroy();
    },
  };
}

async function hasTable(db: Kysely<Tables>, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 where to_regclass(${table}) is not null`.execute(db);
  return rows.length > 0;
}

async function readVersion(db: Kysely<Tables>, table: string): Promise<number | undefined> {
  if (!(await hasTable(db, table))) return undefined;
  const found = await sql<{ version: number }>`select version from ${sql.table(table)}`.execute(db);
  return found.rows[0]?.version;
}

function refuseOther(shown: string, found: number | undefined, newest: number): void {
  if (found === newest) return;
  if (found === undefined) throw new Error(`${shown} has no tables of Flight Recorder`);
  throw new Error(
    `${shown} has schema version ${found}, this build has ${newest}. ` +
      'Start a server of this build on it once, which upgrades it, and stop it again.',
  );
}

/** @throws with one line when it is not what this build can read as it is */
export async function openPostgresSource(url: string): Promise<Side> {
  const { db, shown, hold, close } = connect(url);
  try {
    refuseOther(shown, await readVersion(db, 'schema_version'), versionAfter(steps));
    const held = await hold();
    if (await hasTable(db, movingTable)) throw new Error(`A move to ${shown} is not finished`);
    const flights = await readVersion(db, 'flight_version');
    if (flights !== undefined) refuseOther(shown, flights, latestPostgresVersion);
    return {
      engine: 'postgres',
      shown,
      db: (of) => (of === 'store' || flights !== undefined ? db : undefined),
      requireHeld: held.require,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function refuseData(db: Kysely<Tables>, shown: string): Promise<void> {
  for (const { name } of movedTables) {
    if (!(await hasTable(db, name))) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length === 0) continue;
    throw new Error(`${shown} has data already: the table ${name} has rows. Name an empty database.`);
  }
}

/** The recorder's writer knows how its tables are made. */
async function createFlightTables(url: string): Promise<void> {
  const connection = openConnection({ url, isPatient: () => false, onGone: () => undefined });
  try {
    await connection.transact('', async () => undefined);
  } finally {
    await connection.close();
  }
}

/** Rows came with their numbers: the next one gets the next. */
async function raiseNumbers(db: Kysely<Tables>): Promise<void> {
  const withRowid = movedTables.filter(({ hasRowid }) => hasRowid).map(({ name }) => [name, 'rowid'] as const);
  for (const [table, name] of [...withRowid, ['past_origin', 'id'] as const]) {
    const number = sql.ref(name);
    await sql`select setval(pg_get_serial_sequence(${table}, ${name}), greatest(1, max(${number})), max(${number}) is not null)
      from ${sql.table(table)}`.execute(db);
  }
  await sql`select setval('flight_number', greatest(1, max(id)), max(id) is not null) from flight`.execute(db);
}

/** Tables of another version may be those of servers that run elsewhere: a move makes tables where there are none, and changes none. */
function refuseTables(shown: string, found: number | undefined, newest: number): void {
  if (found === undefined || found === newest) return;
  throw new Error(`${shown} has tables of schema version ${found}, this build has ${newest}. Name an empty database.`);
}

/**
 * Looks first, and makes tables last. One of them stands for a move that is not finished: no server starts on the database until then.
 * @throws with one line when it has other data, or a server is on it
 */
export async function openPostgresTarget(url: string): Promise<Target> {
  const { db, shown, hold, close } = connect(url);
  try {
    const held = await hold();
    refuseTables(shown, await readVersion(db, 'schema_version'), versionAfter(steps));
    refuseTables(shown, await readVersion(db, 'flight_version'), latestPostgresVersion);
    if (await hasTable(db, movingTable)) {
      throw new Error(`A move to ${shown} was interrupted. Drop that database, create it again, and begin anew.`);
    }
    await refuseData(db, shown);
    await migrate(db);
    await createFlightTables(url);
    await sql`create table ${sql.table(movingTable)} ()`.execute(db);
    return {
      engine: 'postgres',
      shown,
      db: () => db,
      transact: (_of, write) => db.transaction().execute(write),
      requireHeld: held.require,
      close,
      async finish() {
        await raiseNumbers(db);
        await sql`drop table ${sql.table(movingTable)}`.execute(db);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
