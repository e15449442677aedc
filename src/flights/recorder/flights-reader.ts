import { statSync } from 'node:fs';
import path from 'node:path';

import { Kysely, sql } from 'kysely';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { nodeSqliteDialect } from '#src/store/node-sqlite-dialect.ts';

import type { FlightTables } from '../flight/stored-tables.ts';
import { flightsFile, isEarlierFile, openFlightsForReading } from '../writer/open-flights.ts';
import { latestPostgresVersion } from '../writer/postgres/tables.ts';

/**
 * The serving thread's own connections to the recording: it reads while the writer writes. Of SQLite: when the file was moved aside, this
 * connection would still read the old one, so the file's inode is compared before each use. Of PostgreSQL a few, beside those
 * of the store: whoever reads flights keeps nobody from reading errors.
 */
type Reader = {
  readonly db: Kysely<FlightTables>;
  /** Of SQLite's file. */
  readonly inode: number | undefined;
  /** The tables are there, of the version that this build knows. */
  isReady: boolean;
};

/** Pages read one after the other; several are open at once. */
const mostConnections = 3;

declare global {
  /** By the folder or by PostgreSQL's address. */
  var __FLIGHTS_READERS__: Map<string, Reader> | undefined;
}

function readers(): Map<string, Reader> {
  return (globalThis.__FLIGHTS_READERS__ ??= new Map());
}

async function openFile(folder: string): Promise<Kysely<FlightTables> | undefined> {
  const known = readers().get(folder);
  const inode = statSync(path.join(folder, flightsFile), { throwIfNoEntry: false })?.ino;
  if (known && known.inode === inode) return known.db;
  await closeFlightsReader(folder);
  const database = inode === undefined ? undefined : openFlightsForReading(folder);
  if (!database || inode === undefined) return undefined;
  const db = new Kysely<FlightTables>({ dialect: nodeSqliteDialect(database) });
  readers().set(folder, { db, inode, isReady: true });
  return db;
}

async function connect(url: string): Promise<Reader> {
  const [{ openPool }, { postgresDialect }] = await Promise.all([
    import('#src/store/postgres/open-pool.ts'),
    import('#src/store/postgres/postgres-dialect.ts'),
  ]);
  const known = readers().get(url);
  if (known) return known;
  const pool = openPool(url, { most: mostConnections, purpose: 'flights read' });
  const reader = { db: new Kysely<FlightTables>({ dialect: postgresDialect(pool) }), inode: undefined, isReady: false };
  readers().set(url, reader);
  return reader;
}

/** The writer makes the tables, and upgrades them. */
async function openTables(url: string): Promise<Kysely<FlightTables> | undefined> {
  const reader = readers().get(url) ?? (await connect(url));
  if (!reader.isReady) reader.isReady = (await readTablesVersion(reader.db)) >= latestPostgresVersion;
  return reader.isReady ? reader.db : undefined;
}

/** 0 where there are none. */
async function readTablesVersion(db: Kysely<FlightTables>): Promise<number> {
  const { rows: found } = await sql<{
    is_there: number;
  }>`select to_regclass('flight_version') is not null as is_there`.execute(db);
  if (found[0]?.is_there !== 1) return 0;
  const { rows } = await sql<{ version: number }>`select version from flight_version`.execute(db);
  return rows[0]?.version ?? 0;
}

/** The recording is an earlier build's: nothing of it is read before the writer has upgraded it. */
export async function isOfEarlierVersion(): Promise<boolean> {
  const url = readSetting('DATABASE_URL');
  if (url === undefined) return isEarlierFile(dataFolder());
  const { db } = await connect(url);
  const version = await readTablesVersion(db);
  return version > 0 && version < latestPostgresVersion;
}

/** Returns undefined while nothing was ever recorded. */
export async function openFlightsReader(): Promise<Kysely<FlightTables> | undefined> {
  const url = readSetting('DATABASE_URL');
  return url === undefined ? openFile(dataFolder()) : openTables(url);
}

/** 0 when there is none. */
export async function readNewestId(db: Kysely<FlightTables>): Promise<number> {
  const { newest } = await db
    .selectFrom('flight')
    .select(({ fn }) => fn.max('id').as('newest'))
    .executeTakeFirstOrThrow();
  return newest ?? 0;
}

/** Returns the inode of the file that was open. */
export async function closeFlightsReader(of: string = dataFolder()): Promise<number | undefined> {
  const known = readers().get(of);
  readers().delete(of);
  await known?.db.destroy();
  return known?.inode;
}
