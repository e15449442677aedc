import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression, sql } from 'kysely';

import { parseDatabaseUrl } from '#src/server/environment/parse-database-url.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { describeError } from '#boundary';

import { createGroupCommit } from '../group-commit.ts';
import type { Store, Writability } from '../open-store.ts';
import { canTakeError } from '../probe-writing.ts';
import type { Tables } from '../schema.ts';
import { indexDue } from '../search-tables.ts';
import { isNoRoom } from '../space.ts';
import { readHeardVersion } from './data-version.ts';
import { createCommitMarks } from '../spool/commit-marks.ts';
import { timeStatement } from '../statement-times.ts';
import { createFigures } from './figures.ts';
import { migrate, refuseHalfMoved, refuseOldServer, refuseUpgrade, refuseWhileMoved } from './migrate.ts';
import { findHosts } from './hosts.ts';
import { openPool, type PoolOptions } from './open-pool.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { createWaits } from './waits.ts';

/**
 * The store on PostgreSQL: the same promises as ../open-store.ts, with the server's means. What `commit` reports as committed is as
 * durable as the server's `synchronous_commit` makes it. Damage, room on its disk and copies are the server's own matters.
 */

/** Short enough that a disk that was full for a moment is noticed soon. */
const tryAgainMs = 2_000;

/** While the server's disk is full, what visitors cause is refused without being tried. */
function createRoom(isFull: () => boolean) {
  let tryAgainAt = 0;
  return {
    note(error: unknown): void {
      if (isNoRoom(error)) tryAgainAt = performance.now() + tryAgainMs;
    },
    hasDisk: () => performance.now() >= tryAgainAt,
    admitsOrdinary: () => performance.now() >= tryAgainAt && !isFull(),
    asOrdinary: <T>(writes: () => Promise<T>) => writes(),
  };
}

async function probeWriting(
  db: Kysely<Tables>,
  room: ReturnType<typeof createRoom>,
  commit: Store['commit'],
): Promise<Writability> {
  if (!room.admitsOrdinary()) return { status: 'no-room' };
  try {
    await canTakeError(db, room);
    const result = await commit(async (trx) => {
      await sql`update schema_version set version = version`.execute(trx);
    });
    if (result === 'queue-full') return { status: 'failed', reason: 'too many writes are waiting for the database' };
    return { status: result === 'committed' ? 'writable' : 'no-room' };
  } catch (error) {
    return isNoRoom(error) ? { status: 'no-room' } : { status: 'failed', reason: describeError(error) };
  }
}

/** @throws with one line for the operator, in which there is no password */
async function prepare(db: Kysely<Tables>, url: string, mayUpgrade: boolean): Promise<void> {
  try {
    await refuseOldServer(db);
    await refuseWhileMoved(db);
    await refuseHalfMoved(db);
    if (!mayUpgrade) await refuseUpgrade(db);
    await migrate(db);
  } catch (error) {
    await db.destroy();
    const shown = parseDatabaseUrl(url)?.shown ?? 'that DATABASE_URL names';
    throw new Error(`The database ${shown} cannot be used: ${describeError(error)}`, { cause: error });
  }
}

/**
 * @param onClosed called when the store is closed, before it is
 * @param mayUpgrade whether this is a server, which brings older tables to its version. Where there are none, all make them
 * @throws with one line that says what to do when the server cannot be reached, is too old, or its tables are another build's
 */
export async function openPostgresStore(
  url: string,
  onClosed: () => void = () => undefined,
  mayUpgrade = true,
): Promise<Store> {
  const limitBytes = readSetting('FLIGHT_DATA_LIMIT');
  const figures = createFigures();
  const room = createRoom(() => figures.bytes() >= limitBytes);
  const hosts = findHosts(url);
  const waits = createWaits();
  function connectWith(options: PoolOptions): Kysely<Tables> {
    const pool = openPool(hosts, options);
    return new Kysely<Tables>({
      log: timeStatement,
      dialect: postgresDialect(pool, { onError: room.note, afterWrite: figures.afterWrite, waits }),
      // SQLite finds nothing in `in ()`. To PostgreSQL it is an error.
      plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
    });
  }
  const db = connectWith({});
  // Slow reads may have all connections of `db`. An error does not wait for them, and the server is not taken for gone. What visitors
  // cause is committed by one transaction after the other, so one connection is enough.
  const [writer, prober] = [connectWith({ most: 1, purpose: 'errors' }), connectWith({ most: 1, purpose: 'probe' })];
  await prepare(db, url, mayUpgrade);
  const stopFigures = await figures.follow(db);
  const flushed = { withoutFlush: <T>(write: () => Promise<T>) => write(), flush: async () => undefined };
  const { commit, settle } = createGroupCommit(writer, room, flushed, indexDue, { marks: createCommitMarks() });
  return {
    engine: 'postgres',
    db,
    commit,
    transact: (write) => db.transaction().execute(write),
    measureFill: () => figures.bytes() / limitBytes,
    limitBytes,
    admitsFiles: room.hasDisk,
    checkWritable: () => probeWriting(db, room, commit),
    onDamage: () => undefined,
    // The server's autovacuum does it.
    releasePages: async () => undefined,
    async ask() {
      await sql`select 1`.execute(prober);
    },
    giveUpReads: waits.giveUp,
    dataVersion: () => figures.version() + readHeardVersion(db),
    async close() {
      onClosed();
      await settle();
      await stopFigures();
      await Promise.all([db, writer, prober].map((one) => one.destroy()));
    },
  };
}
