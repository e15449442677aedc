import { existsSync, mkdirSync, renameSync, rmSync, rmdirSync } from 'node:fs';
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

/**
 * What an interrupted move left is removed: `moving`, and of the two files the one that is put in its place first, if it was.
 * @throws with one line when the folder has other data
 */
function makePlace(folder: string): string {
  const moving = path.join(folder, movingFolder);
  const wasInterrupted = existsSync(path.join(moving, storeFile));
  for (const name of wasInterrupted ? [storeFile] : [storeFile, flightsFile]) {
    if (!existsSync(path.join(folder, name))) continue;
    throw new Error(`${folder} has data already: there is ${name}. Name a folder without, or move that away.`);
  }
  if (wasInterrupted) rmSync(path.join(folder, flightsFile), { force: true });
  rmSync(moving, { recursive: true, force: true });
  mkdirSync(moving, { mode: 0o700 });
  return moving;
}

/** @throws with one line when the folder has other data */
export async function openSqliteTarget(folder: string): Promise<Target> {
  prepareFolder(folder);
  const moving = makePlace(folder);
  const file = path.join(moving, storeFile);
  createDatabase(file);
  const store = new Kysely<Tables>({ dialect: nodeSqliteDialect(openFile(file, false)) });
  await migrate(store);
  const flights = new Kysely<FlightTables>({ dialect: nodeSqliteDialect(openFlightsFile(moving).database) });

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
      for (const name of [flightsFile, storeFile]) renameSync(path.join(moving, name), path.join(folder, name));
      syncFolder(folder);
      rmdirSync(moving);
    },
  };
}
