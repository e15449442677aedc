import { readPostgresCode } from '#src/store/postgres/postgres-errors.ts';
import { readSqliteCode } from '#src/store/sqlite-errors.ts';

/**
 * What is in a flight, strangers decide. One that cannot be written must not cost those that are in the same transaction: it is
 * found by halves, and only it is given up. What the database cannot do (a full disk, no connection) fails for all of them.
 */

/** SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH: what was to be written is wrong, and the file is not. */
const valueCodes = new Set([18, 19, 20]);

/** Whether the fault is in what was to be written: others may be written. */
export function isOfOneFlight(error: unknown): boolean {
  if (valueCodes.has(readSqliteCode(error) & 0xff)) return true;
  // 22: data exceptions. 54: too large for a limit of the program. 23502: nothing, where there must be something.
  if (/^(?:22...|54...|23502)$/.test(readPostgresCode(error) ?? '')) return true;
  // Thrown by code that met what it did not expect.
  return [TypeError, RangeError, URIError, SyntaxError].some((type) => error instanceof type);
}

/**
 * @param write all of them or none
 * @param giveUp called for each that cannot be written by itself
 * @throws what is not the fault of one
 */
export async function writeInParts<T>(
  items: readonly T[],
  write: (items: readonly T[]) => Promise<void>,
  giveUp: (error: unknown) => void,
): Promise<void> {
  try {
    await write(items);
  } catch (error) {
    if (!isOfOneFlight(error)) throw error;
    if (items.length <= 1) return giveUp(error);
    const middle = Math.ceil(items.length / 2);
    await writeInParts(items.slice(0, middle), write, giveUp);
    await writeInParts(items.slice(middle), write, giveUp);
  }
}
