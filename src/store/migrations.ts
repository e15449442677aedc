import { type Kysely, sql } from 'kysely';

import { createSchema } from './create-schema.ts';
import type { Tables } from './schema.ts';

/**
 * Numbered steps from an empty database to the tables of `tables.ts`. A released step is never edited: databases have
 * already run it. Each runs in one transaction together with the version's own change, so a
 * crash leaves either the old schema or the new one.
 *
 * Column types are ones that SQLite and PostgreSQL both know. A step after the first uses the schema builder and `sql` alone: the typed
 * tables of `schema.ts` are those after the last step.
 */
export type Migration = { readonly name: string; readonly up: (db: Kysely<Tables>) => Promise<void> };

export const migrations: readonly Migration[] = [{ name: 'all tables', up: createSchema }];

/** What the first step leads to, in both databases. The numbers below were those of the time before the first release. */
export const firstVersion = 18;

/** The schema's version after these steps. */
export function versionAfter(steps: readonly unknown[]): number {
  return firstVersion + steps.length - 1;
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
