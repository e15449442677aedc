import { statSync } from 'node:fs';
import path from 'node:path';

import { Kysely } from 'kysely';

import { dataFolder } from '#src/store/data-folder.ts';
import { nodeSqliteDialect } from '#src/store/node-sqlite-dialect.ts';

import type { FlightTables } from './stored-tables.ts';
import { flightsFile, openFlightsForReading } from './writer/open-flights.ts';

/**
 * The serving thread's own connection to the recording: it reads while the writer writes. When the file was moved aside, this
 * connection would still read the old one, so the file's inode is compared before each use.
 */
type Reader = { readonly db: Kysely<FlightTables>; readonly inode: number };

declare global {
  var __FLIGHTS_READERS__: Map<string, Reader> | undefined;
}

function readers(): Map<string, Reader> {
  return (globalThis.__FLIGHTS_READERS__ ??= new Map());
}

/** Undefined while nothing was ever recorded. */
export async function openFlightsReader(): Promise<Kysely<FlightTables> | undefined> {
  const folder = dataFolder();
  const file = path.join(folder, flightsFile);
  const known = readers().get(folder);
  const inode = statSync(file, { throwIfNoEntry: false })?.ino;
  if (known && known.inode === inode) return known.db;
  await closeFlightsReader(folder);
  const database = inode === undefined ? undefined : openFlightsForReading(folder);
  if (!database || inode === undefined) return undefined;
  const db = new Kysely<FlightTables>({ dialect: nodeSqliteDialect(database) });
  readers().set(folder, { db, inode });
  return db;
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
export async function closeFlightsReader(folder: string = dataFolder()): Promise<number | undefined> {
  const known = readers().get(folder);
  readers().delete(folder);
  await known?.db.destroy();
  return known?.inode;
}
