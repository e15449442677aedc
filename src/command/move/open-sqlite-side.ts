import { existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { Kysely } from 'kysely';

import { flightsFile, openFlightsFile } from '#src/flights/writer/open-flights.ts';
import type { FlightTables } from '#src/flights/flight/stored-tables.ts';
import { latestVersion, readVersion } from '#src/flights/writer/migrations.ts';
import { syncFolder } from '#src/store/copy-database.ts';
import { prepareFolder } from '#src/store/data-folder.ts';
import { createDatabase, inspectDatabase } from '#src/store/database-file.ts';
import { migrate, migrations, versionAfter } from '#src/store/migrations.ts';
import { nodeSqliteDialect } from '#src/store/node-sqlite-dialect.ts';
import type { Tables } from '#src/store/schema.ts';

import { endProgress, hasProgress } from './progress.ts';
import type { Side, Target } from './side.ts';

/**
 * A data folder as one end of a move. As the source it is read and never written. As the target it is written in the folder `moving`
 * inside, which no server opens, and its files get their places when everything was compared.
 */
const storeFile = 'flight.db';
const movingFolder = 'moving';

function openFile(file: string, readOnly: boolean): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true });
  database.exec('pragma trusted_schema = off');
  if (!readOnly) database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory');
  return database;
}

function refuseOther(file: string, found: number, newest: number): void {
  if (found === newest) return;
  throw new Error(
    `${file} has schema version ${found}, this build has ${newest}. ` +
      'Start the server of this build on it once, which upgrades it, and stop it again.',
  );
}

/** `move` has the folder's lock (../move.ts), which nothing but its end gives back. */
async function heldByCommand(): Promise<void> {}

function openFlightsSource(folder: string): Kysely<FlightTables> | undefined {
  const file = path.join(folder, flightsFile);
  if (!existsSync(file)) return undefined;
  const database = openFile(file, true);
  refuseOther(file, readVersion(database), latestVersion);
  return new Kysely<FlightTables>({ dialect: nodeSqliteDialect(database) });
}

/** @throws with one line when there is no database that this build can read as it is */
export function openSqliteSource(folder: string): Side {
  const file = path.join(folder, storeFile);
  if (!existsSync(file)) throw new Error(`There is no ${storeFile} in ${folder}`);
  refuseOther(file, inspectDatabase(file, true).version, versionAfter(migrations));
  const store = new Kysely<Tables>({ dialect: nodeSqliteDialect(openFile(file, true)) });
  const flights = openFlightsSource(folder);
  return {
    engine: 'sqlite',
    shown: folder,
    db: (of) => (of === 'store' ? store : flights),
    requireHeld: heldByCommand,
    async close() {
      await store.destroy();
      await flights?.destroy();
    },
  };
}

async function wasBegun(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(openFile(file, true)) });
  try {
    return await hasProgress(db, 'sqlite');
  } finally {
    await db.destroy();
  }
}

/** Where the files of a move are: in its folder, or at their places already when it was ended while it put them there. */
async function findFolder(folder: string, name: string): Promise<string> {
  const isPlaced = await wasBegun(path.join(folder, name));
  if (!isPlaced && existsSync(path.join(folder, name))) {
    throw new Error(`${folder} has data already: there is ${name}. Name a folder without, or move that away.`);
  }
  return isPlaced ? folder : path.join(folder, movingFolder);
}

/** @throws with one line when the folder has other data */
export async function openSqliteTarget(folder: string): Promise<Target> {
  prepareFolder(folder);
  const [ofStore, ofFlights] = [await findFolder(folder, storeFile), await findFolder(folder, flightsFile)];
  mkdirSync(path.join(folder, movingFolder), { recursive: true, mode: 0o700 });
  const file = path.join(ofStore, storeFile);
  if (!existsSync(file)) createDatabase(file);
  const store = new Kysely<Tables>({ dialect: nodeSqliteDialect(openFile(file, false)) });
  await migrate(store);
  const flights = new Kysely<FlightTables>({ dialect: nodeSqliteDialect(openFlightsFile(ofFlights).database) });

  async function close(): Promise<void> {
    await store.destroy();
    await flights.destroy();
  }

  return {
    engine: 'sqlite',
    shown: folder,
    db: (of) => (of === 'store' ? store : flights),
    async transact(of, write) {
      if (of === 'store') await store.transaction().execute(write);
      else await flights.transaction().execute(write);
    },
    requireHeld: heldByCommand,
    close,
    async finish() {
      // What is in the log goes into the file when the last connection is closed.
      await close();
      for (const [name, from] of [
        [flightsFile, ofFlights],
        [storeFile, ofStore],
      ] as const) {
        if (from !== folder) renameSync(path.join(from, name), path.join(folder, name));
      }
      syncFolder(folder);
      for (const name of [flightsFile, storeFile]) {
        const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(openFile(path.join(folder, name), false)) });
        await endProgress(db);
        await db.destroy();
      }
      rmdirSync(path.join(folder, movingFolder));
    },
  };
}
