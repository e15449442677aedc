import { type Kysely, sql } from 'kysely';

import { describeError } from '#boundary';

import { firstVersion, laterSteps, type Migration, refuseOtherVersion, versionAfter } from '../migrations.ts';
import type { Tables } from '../schema.ts';
import { asBytes } from './as-bytes.ts';
import { createSchema } from './create-schema.ts';
import { locks } from './locks.ts';

/**
 * PostgreSQL's own numbered steps: each leads to the tables that SQLite has after the step of the same number. A released step is never
 * edited. They run one after the other, each in a transaction together with the version, while nobody else writes: several
 * instances may start at once. A step must leave what an older instance that still runs can use.
 */
export const steps: readonly Migration[] = [{ name: 'all tables', up: createSchema }, ...laterSteps(asBytes)];

async function readVersion(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return rows[0]?.version ?? 0;
}

const place = 'DATABASE_URL at another database';

/** 15: the oldest that its makers still mend, and the oldest that is tested. */
const oldestServer = 15;

/** @throws for a server that is too old, and for one that only speaks PostgreSQL's protocol */
export async function refuseOldServer(db: Kysely<Tables>, oldest: number = oldestServer): Promise<void> {
  const { rows } = await sql<{ number: number; version: string }>`
    select current_setting('server_version_num')::int as number, version() as version`.execute(db);
  const found = Math.floor((rows[0]?.number ?? 0) / 10_000);
  if (found < oldest) throw new Error(`it is PostgreSQL ${found}; ${oldest} or newer is needed`);
}

/** Says how far a move into this database has come (src/command/move/progress.ts): it is there until everything was compared. */
export const movingTable = 'move_progress';

/** @throws while a move into this database is not finished */
export async function refuseHalfMoved(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql`select 1 where to_regclass(${movingTable}) is not null`.execute(db);
  if (rows.length === 0) return;
  throw new Error(
    'a move into it is not finished. If it was interrupted, drop the database, create it again and begin anew',
  );
}

/** @throws while a move reads this database, or writes it: what were written now would stay behind */
export async function refuseWhileMoved(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ is_free: number }>`
    select pg_try_advisory_xact_lock_shared(${sql.lit(locks.move)}) as is_free`.execute(db);
  if (rows[0]?.is_free === 1) return;
  throw new Error('`flight-recorder move` is at work on it. Wait until that has ended');
}

/**
 * For commands: servers of an older build must not have their tables changed under them. They would go on, and not start again.
 * @throws when there are tables, of an older build
 */
export async function refuseUpgrade(db: Kysely<Tables>, newest: number = versionAfter(steps)): Promise<void> {
  const found = (await hasVersion(db)) ? await readVersion(db) : 0;
  if (found < firstVersion || found >= newest) return;
  throw new Error(
    `it has schema version ${found}, and this build's is ${newest}. A command upgrades nothing: ` +
      'start a server of this build on it, which does, or use the command of the build that its servers have',
  );
}

async function hasVersion(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`select to_regclass('schema_version')::text as found`.execute(db);
  return rows[0]?.found !== null;
}

/**
 * Brings the database to the newest schema.
 * @param all for tests; the app always runs all steps
 */
export async function migrate(db: Kysely<Tables>, all: readonly Migration[] = steps): Promise<void> {
  // The usual start takes no turn to write: another instance may be in the middle of a long step.
  if (await hasVersion(db)) {
    const found = await readVersion(db);
    refuseOtherVersion(found, versionAfter(all), place);
    if (found === versionAfter(all)) return;
  }
  for (const [index, step] of all.entries()) {
    const version = firstVersion + index;
    await db.transaction().execute(async (trx) => {
      // A step over many rows takes longer than any query of a page may.
      await sql`set local statement_timeout = 0`.execute(trx);
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
      if (!(await hasVersion(trx))) await createVersion(trx);
      const found = await readVersion(trx);
      refuseOtherVersion(found, versionAfter(all), place);
      if (found >= version) return;
      await step.up(trx);
      await sql`update schema_version set version = ${version}::bigint`.execute(trx);
    });
  }
}

async function createVersion(trx: Kysely<Tables>): Promise<void> {
  try {
    await sql`create table schema_version (version bigint not null)`.execute(trx);
  } catch (error) {
    throw new Error(`Tables cannot be made in the database (${describeError(error)}). Its user needs the right to.`, {
      cause: error,
    });
  }
  await sql`insert into schema_version (version) values (0)`.execute(trx);
}
