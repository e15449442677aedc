import { type Kysely, sql } from 'kysely';

import { createSchema } from './create-schema.ts';
import { eventColumns } from './event-columns.ts';
import { typedDigestIndexes } from './past-digests.ts';
import type { Tables } from './schema.ts';
import {
  digestIndexes,
  mapIndexes,
  printedIndexes,
  waitingIndexes,
  withoutDigestIndexes,
  writeIndex,
} from './tables.ts';

/**
 * Numbered steps from an empty database to the tables of `tables.ts`. A released step is never edited: databases have
 * already run it. Each runs in one transaction together with the version's own change, so a
 * crash leaves either the old schema or the new one.
 *
 * Column types are ones that SQLite and PostgreSQL both know. A step after the first uses the schema builder and `sql` alone: the typed
 * tables of `schema.ts` are those after the last step.
 */
export type Migration = { readonly name: string; readonly up: (db: Kysely<Tables>) => Promise<void> };

export const migrations: readonly Migration[] = [{ name: 'all tables', up: createSchema }, ...laterSteps()];

/** What the first step leads to, in both databases. The numbers below were those of the time before the first release. */
export const firstVersion = 18;

/** The schema's version after these steps. */
export function versionAfter(steps: readonly unknown[]): number {
  return firstVersion + steps.length - 1;
}

type AddedColumn = { readonly name: string; readonly type: string; readonly since: number | undefined };

/** A new database has them all from its first step on. */
async function addColumns(
  db: Kysely<Tables>,
  table: 'event' | 'map_file',
  columns: readonly { readonly name: string; readonly definition: string }[],
) {
  const tables = await db.introspection.getTables();
  const found = new Set(tables.find(({ name }) => name === table)?.columns.map(({ name }) => name));
  for (const { name, definition } of columns) {
    if (!found.has(name)) await sql.raw(`alter table ${table} add column ${name} ${definition}`).execute(db);
  }
}

/**
 * The steps that add columns of errors, one for each version that brought some, and that version.
 * @param write the column's type and default in the words of the database
 */
export function columnSteps(
  write: (type: string) => string = (type) => type,
  columns: readonly AddedColumn[] = eventColumns,
): readonly (readonly [number, Migration])[] {
  const versions = [...new Set(columns.flatMap(({ since }) => since ?? []))].sort((a, b) => a - b);
  return versions.map((version) => {
    const added = columns.filter(({ since }) => since === version);
    const written = added.map(({ name, type }) => ({ name, definition: write(` ${type}`) }));
    return [version, { name: `columns of ${version}`, up: (db) => addColumns(db, 'event', written) }];
  });
}

/** Makes indexes that have other columns than before. A new database has them already, without rows. */
function indexAgain(indexes: readonly string[]): Migration['up'] {
  return async (db) => {
    for (const index of indexes) {
      await sql.raw(`drop index if exists ${index.split(' ', 1).join('')}`).execute(db);
      await sql.raw(writeIndex(index)).execute(db);
    }
  };
}

/**
 * Which of the maps of one address is the latest was found by reading all of them. What has a longer address than an upload may have is
 * deleted: PostgreSQL's index could not take it.
 */
async function orderMaps(db: Kysely<Tables>): Promise<void> {
  await addColumns(db, 'map_file', [{ name: 'created', definition: 'bigint not null default 0' }]);
  await sql
    .raw('update map_file set created = (select created from map_bundle where map_bundle.id = map_file.bundle)')
    .execute(db);
  await sql.raw('delete from map_file where length(url) > 502').execute(db);
  await indexAgain(mapIndexes)(db);
}

/** The steps after the first, which are the same on both databases. @param write as for columns */
export function laterSteps(write?: (type: string) => string): readonly Migration[] {
  // By the version that they lead to.
  const indexSteps: readonly (readonly [number, Migration])[] = [
    // Which apps have a digest was found by reading all its errors.
    [19, { name: 'digests by app', up: indexAgain(digestIndexes) }],
    // One app's digests hid another's that are spelled like them.
    [20, { name: 'digests as they are typed, by app', up: indexAgain(typedDigestIndexes) }],
    // Which errors without a digest are of a time was found by reading, and sorting, all that have none.
    [21, { name: 'errors without a digest, by time', up: indexAgain([...digestIndexes, ...withoutDigestIndexes]) }],
    // It names a column of 22.
    [23, { name: 'errors that were printed with the digest of another', up: indexAgain(printedIndexes) }],
    [24, { name: 'source maps by address and time', up: orderMaps }],
    // An error of one app read what waits of all others with its digest.
    [25, { name: 'what waits for its error, by app', up: indexAgain(waitingIndexes) }],
  ];
  const steps = new Map([...indexSteps, ...columnSteps(write)]);
  return [...steps].sort(([one], [other]) => one - other).map(([, step]) => step);
}

async function readVersion(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
  return rows[0]?.user_version ?? 0;
}

/** @param place the setting that names the database, and what else it may name */
export function refuseOtherVersion(
  found: number,
  newest: number = versionAfter(migrations),
  place: string = 'FLIGHT_DATA at another folder',
): void {
  if (found > newest) {
    throw new Error(
      `The database has schema version ${found}, this build knows up to ${newest}. ` +
        `Start the newer build again, or point ${place}.`,
    );
  }
  if (found > 0 && found < firstVersion) {
    throw new Error(
      `The database has schema version ${found}, from before the first release, and this build begins with ${firstVersion}. ` +
        `It was left as it is: point ${place} to begin with an empty one, or use the build that wrote it.`,
    );
  }
}

/**
 * Brings `db` to the newest schema. The version is read again inside each transaction, because a second process may be
 * doing the same at this moment.
 * @param steps for tests; the app always runs all of them.
 * @throws when a newer version of the app wrote the database, or one from before the first release
 */
export async function migrate(db: Kysely<Tables>, steps: readonly Migration[] = migrations): Promise<void> {
  refuseOtherVersion(await readVersion(db), versionAfter(steps));
  for (const [index, step] of steps.entries()) {
    const version = firstVersion + index;
    await db.transaction().execute(async (trx) => {
      if ((await readVersion(trx)) >= version) return;
      await step.up(trx);
      // A pragma takes no parameters; the number is our own.
      await sql`pragma user_version = ${sql.lit(version)}`.execute(trx);
    });
  }
}
