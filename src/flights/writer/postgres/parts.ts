import { describeError } from '#boundary';
import { readPostgresCode } from '#src/store/postgres/postgres-errors.ts';

import { partedTables, writePart } from './tables.ts';
import { writeLock, type FlightsConnection, type Transaction } from './connection.ts';

/**
 * Parts of the recording, oldest first: each has four tables (tables.ts). A part is begun with each day of the database's clock,
 * and when the newest has an eighth of what the recording may take. The oldest is dropped when all of it is too old, or when all parts
 * together take more than they may. So a flight stays up to a day longer than it must, and at most an eighth of the recording goes at
 * once; nothing is ever left to clean up.
 *
 * Any instance does this, whichever needs it first. What an instance knows of the newest part may be old: what it then writes is in the
 * part before, and that is no harm, since ids do not depend on parts.
 */
export type Part = {
  readonly part: number;
  /** Milliseconds since 1970, by the database's clock. */
  readonly begunAt: number;
  readonly bytes: number;
};

/** Also the most that is dropped at once. */
const partShare = 1 / 8;
/** A part without a flight has some 300 kB: its tables, their indexes and what is outside of them. */
const smallestPart = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;
/** Readers wait for a part that is dropped, and it waits for them: so long at most, then it is tried again later. */
const dropWaitMs = 200;
/** An operator deletes everything and waits for it. */
const deleteAllWaitMs = 5_000;

const nowMs = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';

const listParts = `
  select part, begun_at as "begunAt", ${nowMs} as now,
    ${partedTables.map((table) => `coalesce(pg_total_relation_size(to_regclass('${table}_' || part)), 0)`).join(' + ')} as bytes
  from flight_part where to_regclass('flight_' || part) is not null order by part`;

export type Parts = {
  readonly parts: readonly Part[];
  /** By the database's clock. */
  readonly now: number;
};

/** A few hundred microseconds: it asks the file system for the size of some dozen files. */
export async function readParts(transaction: Transaction): Promise<Parts> {
  const rows = await transaction.query<Part & { now: number }>(listParts);
  return { parts: rows, now: rows[0]?.now ?? 0 };
}

export function sumBytes(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

function isDue({ parts, now }: Parts, bytesLimit: number): boolean {
  const newest = parts.at(-1);
  if (!newest) return true;
  const isOfToday = Math.floor(newest.begunAt / dayMs) === Math.floor(now / dayMs);
  return !isOfToday || newest.bytes > Math.max(bytesLimit * partShare, smallestPart);
}

/** Begins a part when one is due. @returns the parts, the newest of which is to be written into */
export async function ensurePart(connection: FlightsConnection, bytesLimit: number): Promise<readonly Part[]> {
  const found = await connection.transact('', readParts);
  if (!isDue(found, bytesLimit)) return found.parts;
  return connection.transact(writeLock('parts'), async (transaction) => {
    // Another instance may have begun it meanwhile.
    const again = await readParts(transaction);
    if (!isDue(again, bytesLimit)) return again.parts;
    await beginPart(transaction);
    return (await readParts(transaction)).parts;
  });
}

/** Numbers of parts whose tables somebody has deleted, as a backup without flights does, are not given again. */
async function beginPart(transaction: Transaction): Promise<void> {
  const [row] = await transaction.query<{ part: number }>(
    `insert into flight_part (part, begun_at) select coalesce(max(part), 0) + 1, ${nowMs} from flight_part returning part`,
  );
  await transaction.query(writePart(row?.part ?? 0));
}

const lockTables = `lock table ${partedTables.join(', ')} in access exclusive mode`;

const lockNotGiven = '55P03';

/**
 * Somebody has the tables for longer than a drop waits: a backup for minutes. It has no code of PostgreSQL, so that the connection does
 * not try again: what is recorded meanwhile would wait in memory, and be lost there.
 */
class PartsInUse extends Error {}

/** @throws PartsInUse */
async function lockToDrop(transaction: Transaction, locking: string): Promise<void> {
  try {
    await transaction.query(`set local lock_timeout = ${dropWaitMs}; ${locking}`);
  } catch (error) {
    if (readPostgresCode(error) !== lockNotGiven) throw error;
    throw new PartsInUse(`Old flights stay for now, somebody reads them (${describeError(error)})`, { cause: error });
  }
}

/** Drops what `choose` gives, which is never all: the newest part stays. @returns whether there was something */
async function dropParts(
  connection: FlightsConnection,
  choose: (parts: readonly Part[]) => readonly Part[],
): Promise<boolean> {
  return connection.transact('', async (transaction) => {
    await lockToDrop(transaction, writeLock('content'));
    const { parts } = await readParts(transaction);
    const old = choose(parts).filter(({ part }) => part !== parts.at(-1)?.part);
    if (old.length === 0) return false;
    await lockToDrop(transaction, lockTables);
    await dropTables(transaction, old);
    return true;
  });
}

async function dropTables(transaction: Transaction, parts: readonly Part[]): Promise<void> {
  const names = parts.flatMap(({ part }) => partedTables.map((table) => `${table}_${part}`));
  await transaction.query(`drop table ${names.join(', ')}`);
  await transaction.query('delete from flight_part where part = any($1)', [parts.map(({ part }) => part)]);
}

/** Parts into which nothing was written after `time`. */
export function listEndedBefore(parts: readonly Part[], time: number): readonly Part[] {
  return parts.filter((_, at) => (parts[at + 1]?.begunAt ?? Infinity) < time);
}

export async function dropOlderThan(connection: FlightsConnection, time: number): Promise<boolean> {
  const { parts } = await connection.transact('', readParts);
  if (listEndedBefore(parts, time).length === 0) return false;
  return dropParts(connection, (found) => listEndedBefore(found, time));
}

/** The oldest parts, until the others take no more than `bytesLimit`. */
export function listBeyond(parts: readonly Part[], bytesLimit: number): readonly Part[] {
  let left = sumBytes(parts);
  return parts.filter(({ bytes }) => {
    const isBeyond = left > bytesLimit;
    left -= bytes;
    return isBeyond;
  });
}

export async function dropBeyond(connection: FlightsConnection, bytesLimit: number): Promise<boolean> {
  return dropParts(connection, (parts) => listBeyond(parts, bytesLimit));
}

/** All parts, in place of which an empty one is begun. */
export async function dropAll(connection: FlightsConnection): Promise<void> {
  const begin = `set local lock_timeout = ${deleteAllWaitMs}; ${writeLock('parts')}; ${writeLock('content')}`;
  await connection.transact(begin, async (transaction) => {
    const { parts } = await readParts(transaction);
    await beginPart(transaction);
    await transaction.query(lockTables);
    if (parts.length > 0) await dropTables(transaction, parts);
    await transaction.query('delete from loss');
    await transaction.query('delete from forged');
    await transaction.query('delete from leak');
    await transaction.query('delete from span');
    await transaction.query('delete from storm');
  });
}
